import { useQueries, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CheckList } from "@/components/check-list";
import { AreaField, TextField } from "@/components/field";
import { Waiting, Wrong } from "@/components/states";
import { environmentsQuery, projectsQuery } from "@/lib/api/queries";
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
  const kinds = [
    { all: true, text: t("relays.everything"), help: t("relays.everythingHelp") },
    { all: false, text: t("relays.these"), help: t("relays.theseHelp") },
  ];
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
      <fieldset className={classes.kinds}>
        <legend>{t("relays.scopeOf")}</legend>
        {kinds.map(({ all, text, help }) => (
          <label key={String(all)}>
            <input
              type="radio"
              name="scope"
              checked={value.all === all}
              onChange={() => set({ all })}
            />
            <span>
              {text}
              <small>{help}</small>
            </span>
          </label>
        ))}
      </fieldset>
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
  const projects = useQuery(projectsQuery(organization));
  const found = useQueries({
    queries: (projects.data ?? []).map((it) => environmentsQuery(organization, it.key)),
    combine: (all) => ({
      lists: all.map((it) => it.data ?? []),
      wait: all.some((it) => it.isPending),
      error: all.find((it) => it.isError)?.error ?? null,
    }),
  });
  const error = projects.error ?? found.error;
  if (error) return <Wrong error={error} />;
  if (projects.isPending || found.wait) return <Waiting rows={3} />;
  const choices = (projects.data ?? []).flatMap(({ key: project, name }, index) =>
    (found.lists[index] ?? []).map((it) => {
      const key = written({ project, environment: it.key });
      return {
        key,
        name: key,
        help: t("relays.environmentOf", { environment: it.name, project: name }),
      };
    }),
  );
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
