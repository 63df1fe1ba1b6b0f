import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { SelectField } from "@/components/select-field";
import { type PastFilter, reviewersQuery } from "@/lib/api/changes";
import { environmentsQuery, projectsQuery } from "@/lib/api/queries";
import { useSettled } from "@/lib/settled";
import classes from "./filters.module.css";
import { KINDS } from "./kinds";

interface Props {
  organization: string;
  filter: PastFilter;
  change: (filter: PastFilter) => void;
}

/** What of the history is looked at: where, what, who, when. */
export function HistoryFilters({ organization, filter, change }: Props) {
  const { t } = useTranslation();
  const people = useId();
  const projects = useQuery(projectsQuery(organization));
  const project = filter.project ?? "";
  const environments = useQuery({
    ...environmentsQuery(organization, project),
    enabled: project !== "",
  });
  const members = useQuery(reviewersQuery(organization));
  const [typed, setTyped] = useState(pickTyped(filter));
  const settled = useSettled(typed);
  // On a phone they would be all that one sees.
  const [open, setOpen] = useState(Object.keys(filter).length > 0);
  const set = (more: PastFilter) => change(without({ ...filter, ...typed, ...more }));
  const apply = useEffectEvent(() => {
    if (JSON.stringify(pickTyped(filter)) !== JSON.stringify(settled)) set(settled);
  });
  useEffect(() => apply(), [settled]);
  const type = (name: keyof typeof typed) => ({
    value: typed[name],
    onChange: (event: { target: { value: string } }) =>
      setTyped((it) => ({ ...it, [name]: event.target.value })),
  });
  return (
    <form
      className={classes.filters}
      data-open={open || undefined}
      role="search"
      onSubmit={(event) => event.preventDefault()}
    >
      <TextField type="search" label={t("past.text")} {...type("text")} />
      <Button className={classes.more} aria-expanded={open} onClick={() => setOpen(!open)}>
        {t("past.filters")}
      </Button>
      <SelectField
        label={t("past.project")}
        value={project}
        onChange={(event) => set({ project: event.target.value, environment: "" })}
      >
        <option value="">{t("past.any")}</option>
        {projects.data?.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </SelectField>
      {project !== "" && (
        <SelectField
          label={t("past.environment")}
          value={filter.environment ?? ""}
          onChange={(event) => set({ environment: event.target.value })}
        >
          <option value="">{t("past.any")}</option>
          {environments.data?.map(({ key }) => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
        </SelectField>
      )}
      <TextField label={t("past.flag")} mono autoComplete="off" {...type("flag")} />
      <TextField label={t("past.actor")} list={people} autoComplete="off" {...type("actor")} />
      <datalist id={people}>
        {members.data?.map(({ email, name }) => (
          <option key={email} value={email}>
            {name}
          </option>
        ))}
      </datalist>
      <SelectField
        label={t("past.kind")}
        value={filter.kind ?? ""}
        onChange={(event) => set({ kind: event.target.value })}
      >
        <option value="">{t("past.any")}</option>
        {Object.entries(KINDS).map(([group, kinds]) => (
          <optgroup key={group} label={t(`past.groups.${group as keyof typeof KINDS}`)}>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {t(`kinds.${kind}`)}
              </option>
            ))}
          </optgroup>
        ))}
      </SelectField>
      <TextField
        type="date"
        label={t("past.from")}
        value={filter.from ?? ""}
        max={filter.to}
        onChange={(event) => set({ from: event.target.value })}
      />
      <TextField
        type="date"
        label={t("past.to")}
        value={filter.to ?? ""}
        min={filter.from}
        onChange={(event) => set({ to: event.target.value })}
      />
      {Object.keys(filter).length > 0 && (
        <Button
          small
          look="quiet"
          onClick={() => {
            setTyped(pickTyped({}));
            change({});
          }}
        >
          {t("past.clear")}
        </Button>
      )}
    </form>
  );
}

/** What is typed goes into the address once it rests. */
const pickTyped = ({ text = "", flag = "", actor = "" }: PastFilter) => ({ text, flag, actor });

function without(filter: PastFilter): PastFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
}
