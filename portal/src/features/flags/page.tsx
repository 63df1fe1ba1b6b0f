import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ComponentType, Suspense, lazy, useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Empty, Failure, Waiting } from "@/components/states";
import { environmentsQuery, flagIndexQuery, settingsQuery } from "@/lib/api/queries";
import { type Filter, chosen } from "@/lib/filter";
import { useFormat } from "@/lib/format";
import { environmentsToShow } from "@/lib/pinned";
import { useShortcuts } from "@/lib/shortcuts";
import { useTitle } from "@/lib/title";
import { Columns } from "./columns";
import { Filters } from "./filters";
import classes from "./flags.module.css";
import { FlagList } from "./list";
import { FIRST_FLAG, type Parts } from "./parts";

const CreatePanel = lazy(() => import("./create").then((it) => ({ default: it.CreatePanel })));

/** The flags of a project: Home. */
export function FlagsPage({ begin: Begin }: { begin: ComponentType<Parts> }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { organization, project } = useParams({ from: "/$organization/$project/flags" });
  const search = useSearch({ from: "/$organization/$project/flags" });
  const navigate = useNavigate({ from: "/$organization/$project/flags" });
  const environments = useQuery(environmentsQuery(organization, project));
  const settings = useQuery(settingsQuery(organization));
  const shown =
    environments.data && !settings.isPending
      ? environmentsToShow(organization, project, environments.data, settings.data)
      : undefined;
  const index = useQuery({
    ...flagIndexQuery(organization, project, shown ?? []),
    enabled: shown !== undefined,
  });
  useTitle(t("shell.flags"), project);
  const [text, setText] = useState(search.q ?? "");
  const deferred = useDeferredValue(text);
  const filter = useMemo(() => ({ ...search, q: deferred }), [search, deferred]);
  const items = useMemo(() => (index.data ? chosen(index.data, filter) : []), [index.data, filter]);

  const change = (next: Filter) => void navigate({ search: next, replace: true });
  const create = (open: boolean) => {
    const { create: _, ...rest } = search;
    change(open ? { ...rest, create: true } : rest);
  };
  useShortcuts([{ keys: "c", words: t("flags.new"), run: () => create(true) }]);

  const error = environments.error ?? index.error;
  if (error) {
    const retry = () => {
      void environments.refetch();
      void index.refetch();
    };
    return <Failure error={error} retry={retry} />;
  }
  const none = index.data?.items.length === 0;
  const shownEnvironments = (index.data?.environments ?? []).flatMap(
    (key) => environments.data?.find((it) => it.key === key) ?? [],
  );
  const createFlag = (look: "primary" | "plain") => (
    <Button look={look} onClick={() => create(true)} title="c">
      {t("flags.new")}
    </Button>
  );
  const home = (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1>{t("flags.title")}</h1>
        {index.data && <span className={classes.count}>{number(items.length)}</span>}
        {environments.data && environments.data.length > 1 && shown && (
          <Columns
            organization={organization}
            project={project}
            environments={environments.data}
            shown={shown}
          />
        )}
        {createFlag("primary")}
      </header>
      {index.data && !none && (
        <Filters
          index={index.data}
          filter={search}
          change={change}
          text={text}
          setText={(next) => {
            setText(next);
            const { q: _, ...rest } = search;
            change(next === "" ? rest : { ...rest, q: next });
          }}
        />
      )}
      {!index.data && <Waiting rows={14} />}
      {none && (
        <Empty title={t("flags.none")}>
          <p>{t("flags.noneHelp")}</p>
          <Button look="primary" onClick={() => create(true)}>
            {t("flags.newFirst")}
          </Button>
        </Empty>
      )}
      {index.data && !none && items.length === 0 && (
        <Empty title={t("flags.noMatch")}>
          <Button
            onClick={() => {
              setText("");
              change({});
            }}
          >
            {t("flags.clear")}
          </Button>
        </Empty>
      )}
      {items.length > 0 && (
        <FlagList
          organization={organization}
          project={project}
          environments={shownEnvironments}
          items={items}
          comfortable={settings.data?.density === "comfortable"}
        />
      )}
    </div>
  );
  const begins = index.data?.items.every((it) => it.key === FIRST_FLAG) === true;
  return (
    <>
      {begins ? <Begin home={home} actions={createFlag("plain")} any={!none} /> : home}
      <Suspense>
        {search.create && environments.data && (
          <CreatePanel
            organization={organization}
            project={project}
            environments={environments.data}
            close={() => create(false)}
          />
        )}
      </Suspense>
    </>
  );
}
