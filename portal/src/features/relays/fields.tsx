import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CheckList } from "@/components/check-list";
import { AreaField, TextField } from "@/components/field";
import { RadioChoice } from "@/components/radio-choice";
import { Waiting, Wrong } from "@/components/states";
import { allEnvironmentsQuery } from "@/lib/api/relays";
import { type Typed, written } from "./relays";
import classes from "./relays.module.css";

interface Props {
  organization: string;
  value: Typed;
  set: (change: Partial<Typed>) => void;
  /** How many environments it names that the reader may not see. */
  hidden?: number;
}

/** What a key is called, and which environments its relays serve. */
export function KeyFields({ organization, value, set, hidden = 0 }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        label={t("relays.name")}
        help={t("relays.nameHelp")}
        required
        maxLength={256}
        data-autofocus
        value={value.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <AreaField
        label={t("relays.description")}
        value={value.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <RadioChoice
        label={t("relays.scopeOf")}
        choices={[
          { key: "all", text: t("relays.everything"), help: t("relays.everythingHelp") },
          { key: "these", text: t("relays.these"), help: t("relays.theseHelp") },
        ]}
        chosen={value.all ? "all" : "these"}
        choose={(scope) => set({ all: scope === "all" })}
      />
      {!value.all && (
        <Environments
          organization={organization}
          chosen={value.chosen}
          change={(chosen) => set({ chosen })}
        />
      )}
      {hidden > 0 && <p className={classes.note}>{t("relays.hiddenGo", { count: hidden })}</p>}
    </>
  );
}

interface EnvironmentsProps {
  organization: string;
  chosen: string[];
  change: (chosen: string[]) => void;
}

/** The environments of all projects, to choose among. */
function Environments({ organization, chosen, change }: EnvironmentsProps) {
  const { t } = useTranslation();
  const found = useQuery(allEnvironmentsQuery(organization));
  if (found.isError) return <Wrong error={found.error} />;
  if (!found.data) return <Waiting rows={3} />;
  const choices = found.data.map(({ project, projectName, key: environment, name }) => {
    const key = written({ project, environment });
    const help = t("relays.environmentOf", { environment: name, project: projectName });
    return { key, name: key, help };
  });
  return (
    <CheckList
      label={t("relays.environments")}
      none={t("relays.noEnvironment")}
      choices={choices}
      chosen={chosen}
      change={change}
    />
  );
}
