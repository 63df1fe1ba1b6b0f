import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { CopyButton } from "@/components/copy";
import { useLacking } from "@/components/may";
import { Wrong } from "@/components/states";
import { type Schemas, api, dataOf } from "@/lib/api/client";
import { toast } from "@/lib/toasts";
import classes from "./members.module.css";

interface Props {
  organization: string;
  member: Schemas["MemberView"];
}

/** A link for a new password, and the way out of the organization. */
export function Leaving({ organization, member }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [leaving, setLeaving] = useState(false);
  const resource = `member/${member.id}`;
  const lacking = useLacking(organization, {
    reset: { action: "member.reset", resource },
    remove: { action: "member.remove", resource },
  });
  const params = { path: { id: member.id } };
  const reset = useMutation({
    mutationFn: async () =>
      dataOf(await api(organization).POST("/api/v1/members/{id}/reset-link", { params })),
  });
  return (
    <section className={classes.section} aria-label={t("people.account")}>
      <h2>{t("people.account")}</h2>
      <Wrong error={reset.error} />
      {reset.data && (
        <>
          <p role="status">{t("people.resetHelp", { name: member.name })}</p>
          <span className={classes.link}>
            <code>{reset.data.link}</code>
            <CopyButton text={reset.data.link} label={t("people.copyLink")} />
          </span>
        </>
      )}
      <div className={classes.buttons}>
        <Button busy={reset.isPending} lacking={lacking.reset} onClick={() => reset.mutate()}>
          {t("people.reset")}
        </Button>
        <Button look="danger" lacking={lacking.remove} onClick={() => setLeaving(true)}>
          {t("people.remove", { name: member.name })}
        </Button>
      </div>
      {leaving && (
        <ConfirmName
          name={member.email}
          command={t("people.remove", { name: member.name })}
          close={() => setLeaving(false)}
          run={async () => {
            await api(organization).DELETE("/api/v1/members/{id}", { params });
            toast(t("people.removed", { name: member.name }));
            await navigate({ to: "/$organization/settings/members", params: { organization } });
            await queries.invalidateQueries({ queryKey: ["members", organization] });
          }}
        >
          <p>{t("people.removeHelp", { name: member.name })}</p>
        </ConfirmName>
      )}
    </section>
  );
}
