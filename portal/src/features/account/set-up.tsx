import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/copy";
import { TextField } from "@/components/field";
import { type Schemas, api, dataOf } from "@/lib/api/client";
import classes from "./account.module.css";
import { FormEnd } from "./form-end";
import { Qr } from "./qr";

interface Props {
  factor: Schemas["NewSecondFactor"];
  /** Whether there is one already, which has to agree. */
  replaces: boolean;
  done: (codes: string[]) => void;
  close: () => void;
}

/** The seed goes into an app, and a code of the app proves that it is there. */
export function SetUp({ factor, replaces, done, close }: Props) {
  const { t } = useTranslation();
  const { seed, address } = factor;
  const [code, setCode] = useState("");
  const [currentCode, setCurrentCode] = useState("");
  const [password, setPassword] = useState("");
  const prove = useMutation({
    mutationFn: async () => {
      const body: Schemas["SecondFactorProof"] = { seed, code: code.replace(/\s/g, ""), password };
      if (replaces) body.currentCode = currentCode.trim();
      return dataOf(await api("").PUT("/api/v1/me/second-factor", { body }));
    },
    onSuccess: ({ codes }) => done(codes),
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!prove.isPending) prove.mutate();
      }}
    >
      <p>{t("account.scan")}</p>
      <div className={classes.seed}>
        <Qr text={address} />
        <div className={classes.secret}>
          <span>{t("account.orType")}</span>
          <code>{seed.replace(/(.{4})(?=.)/g, "$1 ")}</code>
          <div>
            <CopyButton text={seed} label={t("account.copySeed")} />
          </div>
        </div>
      </div>
      <TextField
        label={t("account.code")}
        help={t("account.codeHelp")}
        mono
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {replaces && (
        <TextField
          label={t("account.oldCode")}
          help={t("account.oldCodeHelp")}
          mono
          required
          value={currentCode}
          onChange={(event) => setCurrentCode(event.target.value)}
        />
      )}
      <FormEnd
        password={password}
        setPassword={setPassword}
        error={prove.error}
        busy={prove.isPending}
        command={t("account.turnOnFactor")}
        look="primary"
        close={close}
      />
    </form>
  );
}
