import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/copy";
import { Sentence } from "@/components/sentence";
import { Failure, Waiting } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { keysQuery } from "@/lib/api/connect";
import { FIRST_FLAG, usable } from "./first-flag";
import { type Program, addresses } from "./program";
import classes from "./start.module.css";

interface Props {
  organization: string;
  project: string;
  environment: Schemas["EnvironmentView"];
  program: Program;
}

/** A whole program with the real key and address: installed, saved, started. */
export function ProgramText({ organization, project, environment, program }: Props) {
  const { t } = useTranslation();
  const keys = useQuery(keysQuery(organization, project, environment.key));
  const key = keys.data && usable(keys.data, program.kind);
  const { install, file, run, name } = program;
  const place = { flag: FIRST_FLAG, ...addresses(location.origin) };
  const text = program.code({ key: key?.secret ?? "", ...place });
  return (
    <li>
      <h2>{t("start.program", { language: name })}</h2>
      {keys.isError && <Failure error={keys.error} retry={() => void keys.refetch()} />}
      {keys.isPending && <Waiting rows={4} />}
      {keys.data && key?.secret === "" && <p>{t("start.keyHidden")}</p>}
      {keys.data && !key && <p>{t("start.keyMissing", { environment: environment.key })}</p>}
      {key && key.secret !== "" && (
        <>
          <div className={classes.line}>
            <Scrolled text={install} label={t("start.install")} />
            <CopyButton text={install} label={t("start.copyInstall")} look="quiet" />
          </div>
          <div className={classes.code}>
            <div className={classes.file}>
              <code>{file}</code>
              <CopyButton text={text} label={t("start.copyProgram")} small={false} look="primary" />
            </div>
            <Scrolled text={text} label={t("start.program", { language: name })} />
          </div>
          <p className={classes.help}>
            <Sentence
              text={t("start.saveAndRun")}
              parts={{ file: <code>{file}</code>, run: <code>{run}</code> }}
            />{" "}
            {t(program.kind === "client" ? "start.clientKey" : "start.serverKey")}
          </p>
        </>
      )}
    </li>
  );
}

/** Text that can be wider than the page: keys scroll it, too. */
function Scrolled({ text, label }: { text: string; label: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- axe asks that it can be scrolled by keys
    <pre tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}
