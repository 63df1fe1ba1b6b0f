import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { TextField } from "@/components/field";
import { Sentence } from "@/components/sentence";
import { Refused, type Schemas } from "@/lib/api/client";

/** The flag that has the key already, by its own spelling; case makes no difference. */
export function useTaken(
  index: Schemas["FlagIndex"],
  key: string,
  error: unknown,
): string | undefined {
  const wanted = key.toLowerCase();
  const known = index.items.find((it) => it.key.toLowerCase() === wanted)?.key;
  // The server knows flags that one may not see.
  const refused = error instanceof Refused && error.problem?.code === "taken";
  return known ?? (refused ? key : undefined);
}

interface Props {
  organization: string;
  project: string;
  environment: string | undefined;
  value: string;
  taken: string | undefined;
  change: (key: string) => void;
}

/** What programs ask for; says who has it where it is taken. */
export function KeyField({ organization, project, environment, value, taken, change }: Props) {
  const { t } = useTranslation();
  const flag = taken ?? "";
  const link = (
    <Link
      to="/$organization/$project/flags/$flag/$environment"
      params={{ organization, project, flag, environment: environment ?? "" }}
    >
      <code>{taken}</code>
    </Link>
  );
  return (
    <TextField
      label={t("create.key")}
      help={t("create.keyHelp")}
      error={
        taken === undefined ? undefined : (
          <span role="alert">
            <Sentence text={t("create.taken")} parts={{ flag: link }} />
          </span>
        )
      }
      required
      mono
      pattern="[a-zA-Z0-9._\-]{1,128}"
      title={t("create.keyForm")}
      value={value}
      onChange={(event) => change(event.target.value)}
    />
  );
}
