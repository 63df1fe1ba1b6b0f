import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/copy";
import { Empty } from "@/components/states";
import classes from "./users.module.css";

interface Props {
  project: string;
  environment: string;
}

/** Nobody is known: why that is, and a call that makes somebody known. */
export function NobodyYet({ project, environment }: Props) {
  const { t } = useTranslation();
  const users = `${location.origin}/api/v1/projects/${project}/environments/${environment}/users`;
  const person = JSON.stringify({ key: "ana", name: "Ana", properties: { country: "de" } });
  const example = [
    `curl --fail-with-body '${users}' \\`,
    '  --header "Authorization: Bearer $BURGEE_TOKEN" \\',
    "  --header 'Content-Type: application/x-ndjson' \\",
    `  --data-binary '${person}'`,
  ].join("\n");
  return (
    <Empty title={t("users.none", { environment })}>
      <p>{t("users.noneHelp")}</p>
      <p>{t("users.noneExample")}</p>
      <pre className={classes.example}>{example}</pre>
      <CopyButton text={example} label={t("users.copyExample")} />
    </Empty>
  );
}
