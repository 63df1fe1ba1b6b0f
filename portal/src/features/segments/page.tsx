import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, lazy, useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Empty, Failure, Waiting } from "@/components/states";
import { withWords } from "@/i18n";
import { useFormat } from "@/lib/format";
import { ORGANIZATION, PROJECT } from "@/lib/model/segment";
import { type Filter, matching } from "@/lib/segment-filter";
import { useTitle } from "@/lib/title";
import { SegmentList } from "./list";
import classes from "./segments.module.css";
import { type Brought, useBrought } from "./brought";
import { useSegments } from "./use-segments";

const ChangePanel = lazy(() =>
  withWords("delivery", import("@/components/change-panel")).then((it) => ({
    default: it.ChangePanel,
  })),
);
const CreatePanel = lazy(() => import("./create").then((it) => ({ default: it.CreatePanel })));

/** Segments of a project's environments, and those that they share. */
export function SegmentsPage() {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { organization, project } = useParams({ from: "/$organization/$project/segments" });
  const search = useSearch({ from: "/$organization/$project/segments" });
  const navigate = useNavigate({ from: "/$organization/$project/segments" });
  const { rows, environments, pending, error, retry } = useSegments(organization, project, search);
  const [text, setText] = useState(search.q ?? "");
  const [brought, setBrought] = useState<Brought>();
  const deferred = useDeferredValue(text);
  const found = useMemo(() => matching(rows, deferred), [rows, deferred]);
  useTitle(t("shell.segments"), project);

  const change = (next: Filter) => void navigate({ search: next, replace: true });
  const { create: _, ...rest } = search;
  const create = (open: boolean) => {
    change(open ? { ...rest, create: true } : rest);
    if (!open) setBrought(undefined);
  };
  const over = useBrought((keys) => {
    setBrought(keys);
    create(true);
  });
  if (error) return <Failure error={error} retry={retry} />;
  const all = environments.data ?? [];
  const filtered = deferred !== "" || search.in !== undefined || search.archived === true;

  return (
    <div className={classes.page} data-over={over || undefined}>
      <header className={classes.head}>
        <h1>{t("segments.title")}</h1>
        {!pending && <span className={classes.count}>{number(found.length)}</span>}
        <Button look="primary" onClick={() => create(true)}>
          {t("segments.new")}
        </Button>
      </header>
      <div className={classes.filters} role="search">
        <input
          type="search"
          className={classes.search}
          placeholder={t("segments.search")}
          aria-label={t("segments.search")}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            const { q: _, ...others } = search;
            change(event.target.value === "" ? others : { ...others, q: event.target.value });
          }}
        />
        <select
          className={classes.choice}
          aria-label={t("segments.where")}
          value={search.in ?? ""}
          onChange={(event) => {
            const { in: _, ...others } = search;
            change(event.target.value === "" ? others : { ...others, in: event.target.value });
          }}
        >
          <option value="">{t("segments.anywhere")}</option>
          <option value={ORGANIZATION}>{t("segments.ofOrganization")}</option>
          <option value={PROJECT}>{t("segments.ofProject", { project })}</option>
          {all.map((it) => (
            <option key={it.key} value={it.key}>
              {it.key}
            </option>
          ))}
        </select>
        <label className={classes.check}>
          <input
            type="checkbox"
            checked={search.archived ?? false}
            onChange={(event) => {
              const { archived: _, ...others } = search;
              change(event.target.checked ? { ...others, archived: true } : others);
            }}
          />
          {t("segments.archived")}
        </label>
      </div>
      {pending && <Waiting rows={10} />}
      {!pending && found.length === 0 && (
        <Empty title={t(filtered ? "segments.noMatch" : "segments.none")}>
          <p>{t("segments.noneHelp")}</p>
          <Button look="primary" onClick={() => create(true)}>
            {t("segments.new")}
          </Button>
        </Empty>
      )}
      {found.length > 0 && (
        <SegmentList
          organization={organization}
          project={project}
          environments={all}
          rows={found}
        />
      )}
      <Suspense>
        {search.change !== undefined && (
          <ChangePanel
            organization={organization}
            number={search.change}
            close={() => {
              const { change: _, ...others } = search;
              change(others);
            }}
          />
        )}
        {search.create && environments.data && (
          <CreatePanel
            organization={organization}
            project={project}
            environments={environments.data}
            {...(search.in === undefined ? {} : { at: search.in })}
            {...(brought ? { brought } : {})}
            close={() => create(false)}
          />
        )}
      </Suspense>
    </div>
  );
}
