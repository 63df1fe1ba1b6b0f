import { Link } from "@tanstack/react-router";
import { Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Sideways } from "@/components/sideways";
import { withWords } from "@/i18n";
import type { Schemas } from "@/lib/api/client";
import { type Filter, parsedFilter, written } from "@/lib/filter";
import { useFormat } from "@/lib/format";
import classes from "./flags.module.css";

const ViewMenu = lazy(() =>
  withWords("list", import("./view-menu")).then((it) => ({ default: it.ViewMenu })),
);

interface Props {
  organization: string;
  project: string;
  index: Schemas["FlagIndex"];
  filter: Filter;
  saved: Schemas["SavedView"][];
}

const BUILT_IN: { name: "all" | "stale" | "mine" | "archived"; filter: Filter }[] = [
  { name: "all", filter: {} },
  { name: "stale", filter: { stale: true } },
  { name: "mine", filter: { mine: true, sort: "changed" } },
  { name: "archived", filter: { archived: true } },
];

/** Filters to come back to: those that everybody has, and a member's own. */
export function Views({ organization, project, index, filter, saved }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const stale = index.items.filter((it) => it.stale && it.state === "live").length;
  const own = saved.filter((it) => it.project === project);
  const now = written(filter);
  const here = own.find((it) => written(parsedFilter(it.filter)) === now);
  const builtIn = BUILT_IN.some((it) => written(it.filter) === now);
  const link = (words: string, to: Filter, count?: number) => (
    <Link
      key={`${words} ${written(to)}`}
      from="/$organization/$project/flags"
      to="."
      search={to}
      aria-current={written(to) === now ? "page" : undefined}
      className={classes.view}
      activeProps={{}}
      activeOptions={{ exact: true }}
    >
      {words}
      {count !== undefined && <span className={classes.number}> · {number(count)}</span>}
    </Link>
  );
  return (
    <Sideways as="nav" className={classes.views} aria-label={t("flags.views.label")}>
      {BUILT_IN.map((it) =>
        link(t(`flags.views.${it.name}`), it.filter, it.name === "stale" ? stale : undefined),
      )}
      {own.map((it) => link(it.name, parsedFilter(it.filter)))}
      {!builtIn && (
        <Button
          small
          look="quiet"
          aria-haspopup="dialog"
          aria-label={here && t("flags.views.edit", { view: here.name })}
          onClick={({ currentTarget }) => setAnchor(currentTarget)}
        >
          {here ? "⋯" : t("flags.views.save")}
        </Button>
      )}
      <Suspense>
        {anchor && (
          <ViewMenu
            organization={organization}
            project={project}
            anchor={anchor}
            filter={now}
            view={here}
            close={() => setAnchor(undefined)}
          />
        )}
      </Suspense>
    </Sideways>
  );
}
