import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { SettledText } from "@/components/settled-text";
import { environmentsQuery, projectsQuery } from "@/lib/api/queries";
import type { AuditFilter } from "@/lib/audit-filter";
import classes from "./audit.module.css";
import { GROUPS, KINDS } from "./kinds";

interface Props {
  organization: string;
  filter: AuditFilter;
  change: (filter: AuditFilter) => void;
}

/** What is asked for less often, and folded away. */
const RARE = ["project", "environment", "flag", "segment", "from", "to"] as const;

/** Who, what, where and when: what of it is said must all hold. */
export function Filters({ organization, filter, change }: Props) {
  const { t } = useTranslation();
  const projects = useQuery(projectsQuery(organization));
  const environments = useQuery({
    ...environmentsQuery(organization, filter.project ?? ""),
    enabled: filter.project !== undefined,
  });
  function set(name: keyof AuditFilter, value: string) {
    const next = { ...filter };
    if (value === "") delete next[name];
    else next[name] = value;
    // An environment is one of a project.
    if (name === "project") delete next.environment;
    change(next);
  }
  const text = (name: "q" | "actor" | "flag" | "segment") => (
    <SettledText
      label={t(`audit.filter.${name}`)}
      value={filter[name] ?? ""}
      change={(value) => set(name, value)}
      wide={name === "q"}
    />
  );
  const day = (name: "from" | "to") => (
    <label className={classes.day}>
      {t(`audit.filter.${name}`)}
      <input
        type="date"
        className={classes.choice}
        data-set={filter[name] !== undefined || undefined}
        value={filter[name] ?? ""}
        onChange={(event) => set(name, event.target.value)}
      />
    </label>
  );
  const some = Object.keys(filter).length > 0;
  const [opened, setOpened] = useState<boolean>();
  // What holds is seen, unless somebody put it away.
  const open = opened ?? RARE.some((it) => filter[it] !== undefined);
  return (
    <search className={classes.filters} aria-label={t("audit.filter.title")}>
      {text("q")}
      {text("actor")}
      <select
        className={classes.choice}
        aria-label={t("audit.filter.kind")}
        data-set={filter.kind !== undefined || undefined}
        value={filter.kind ?? ""}
        onChange={(event) => set("kind", event.target.value)}
      >
        <option value="">{t("audit.filter.anyKind")}</option>
        {GROUPS.map((group) => (
          <optgroup key={group} label={t(`audit.groups.${group}`)}>
            {KINDS[group].map((kind) => (
              <option key={kind} value={kind}>
                {t(`audit.kinds.${kind}`)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <Button small look="quiet" aria-expanded={open} onClick={() => setOpened(!open)}>
        {t(open ? "audit.filter.fewer" : "audit.filter.more")}
      </Button>
      {some && (
        <Button small look="quiet" onClick={() => change({})}>
          {t("audit.filter.clear")}
        </Button>
      )}
      {open && (
        <div className={classes.rare}>
          <select
            className={classes.choice}
            aria-label={t("audit.filter.project")}
            data-set={filter.project !== undefined || undefined}
            value={filter.project ?? ""}
            onChange={(event) => set("project", event.target.value)}
          >
            <option value="">{t("audit.filter.anyProject")}</option>
            {projects.data?.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
          {filter.project !== undefined && (
            <select
              className={classes.choice}
              aria-label={t("audit.filter.environment")}
              data-set={filter.environment !== undefined || undefined}
              value={filter.environment ?? ""}
              onChange={(event) => set("environment", event.target.value)}
            >
              <option value="">{t("audit.filter.anyEnvironment")}</option>
              {environments.data?.map(({ key }) => (
                <option key={key} value={key}>
                  {key}
                </option>
              ))}
            </select>
          )}
          {text("flag")}
          {text("segment")}
          <span className={classes.days}>
            {day("from")}
            {day("to")}
          </span>
        </div>
      )}
    </search>
  );
}
