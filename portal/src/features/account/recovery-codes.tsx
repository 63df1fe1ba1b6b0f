import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/copy";
import { saveFile } from "@/lib/save-file";
import classes from "./account.module.css";

/** What signs in when the app is lost: told this once. */
export function RecoveryCodes({ codes, done }: { codes: string[]; done: () => void }) {
  const { t } = useTranslation();
  const text = `${codes.join("\n")}\n`;
  return (
    <div className={classes.form}>
      <p role="status">{t("account.codesHelp")}</p>
      <ol className={classes.codes} aria-label={t("account.codes")}>
        {codes.map((it) => (
          <li key={it}>
            <code>{it}</code>
          </li>
        ))}
      </ol>
      <div className={classes.buttons}>
        <CopyButton small={false} text={text} label={t("account.copyCodes")} />
        <Button
          onClick={() => {
            const file = new Blob([text], { type: "text/plain" });
            saveFile("burgee-recovery-codes.txt", file);
          }}
        >
          {t("account.download")}
        </Button>
        <Button look="primary" onClick={done}>
          {t("account.kept")}
        </Button>
      </div>
    </div>
  );
}
