import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Wrong } from "@/components/states";
import { type Schemas, api, dataOf } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";
import { toast } from "@/lib/toasts";
import classes from "./account.module.css";
import { RecoveryCodes } from "./recovery-codes";
import { SetUp } from "./set-up";
import { TurnOff } from "./turn-off";

/** The second factor: set up, replaced, turned off. */
export function SecondFactor({ me }: { me: Schemas["Me"] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [codes, setCodes] = useState<string[]>();
  const [leaving, setLeaving] = useState(false);
  const begin = useMutation({
    mutationFn: async () => dataOf(await api("").POST("/api/v1/me/second-factor/seed")),
  });
  const again = () => queries.invalidateQueries({ queryKey: meQuery.queryKey });

  if (codes) return <RecoveryCodes codes={codes} done={() => setCodes(undefined)} />;
  if (begin.data) {
    return (
      <SetUp
        replaces={me.secondFactor}
        factor={begin.data}
        close={() => begin.reset()}
        done={(codes) => {
          setCodes(codes);
          begin.reset();
          void queries.invalidateQueries({ queryKey: ["sessions"] });
          void again();
        }}
      />
    );
  }
  if (leaving) {
    return (
      <TurnOff
        close={() => setLeaving(false)}
        done={() => {
          setLeaving(false);
          toast(t("account.factorOff"));
          void again();
        }}
      />
    );
  }
  return (
    <>
      <p className={classes.help}>
        {t(me.secondFactor ? "account.factorOn" : "account.factorHelp")}
      </p>
      <Wrong error={begin.error} />
      <div className={classes.buttons}>
        <Button
          look={me.secondFactor ? "plain" : "primary"}
          busy={begin.isPending}
          onClick={() => begin.mutate()}
        >
          {t(me.secondFactor ? "account.replaceFactor" : "account.setUpFactor")}
        </Button>
        {me.secondFactor && (
          <Button look="danger" onClick={() => setLeaving(true)}>
            {t("account.turnOffFactor")}
          </Button>
        )}
      </div>
    </>
  );
}
