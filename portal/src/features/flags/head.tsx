import { type ReactNode, Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { withWords } from "@/i18n";
import type { Schemas } from "@/lib/api/client";
import type { Sort } from "@/lib/filter";
import { useFormat } from "@/lib/format";
import classes from "./flags.module.css";

const Columns = lazy(() =>
  withWords("list", import("./columns")).then((it) => ({ default: it.Columns })),
);
const Display = lazy(() =>
  withWords("list", import("./display")).then((it) => ({ default: it.Display })),
);

interface Props {
  organization: string;
  project: string;
  environments: Schemas["EnvironmentView"][];
  shown: string[];
  count: number | undefined;
  sort: Sort;
  setSort: (next: Sort) => void;
  /** The main command. */
  children: ReactNode;
}

/** What the page is, how it looks, and a new flag. */
export function Head(props: Props) {
  const { organization, project, environments, shown, count, sort, setSort } = props;
  const { t } = useTranslation();
  const { number } = useFormat();
  const [open, setOpen] = useState<{ what: "columns" | "display"; anchor: HTMLElement }>();
  const close = () => setOpen(undefined);
  return (
    <header className={classes.head}>
      <h1>{t("flags.title")}</h1>
      {count !== undefined && <span className={classes.count}>{number(count)}</span>}
      <span className={classes.gap} />
      {environments.length > 1 && (
        <Button
          small
          look="quiet"
          aria-haspopup="dialog"
          onClick={({ currentTarget }) => setOpen({ what: "columns", anchor: currentTarget })}
        >
          {t("flags.columns")}
        </Button>
      )}
      <Button
        small
        look="quiet"
        aria-haspopup="dialog"
        onClick={({ currentTarget }) => setOpen({ what: "display", anchor: currentTarget })}
      >
        {t("flags.display")}
      </Button>
      {props.children}
      <Suspense>
        {open?.what === "columns" && (
          <Columns
            organization={organization}
            project={project}
            environments={environments}
            shown={shown}
            anchor={open.anchor}
            close={close}
          />
        )}
        {open?.what === "display" && (
          <Display
            organization={organization}
            anchor={open.anchor}
            sort={sort}
            setSort={setSort}
            close={close}
          />
        )}
      </Suspense>
    </header>
  );
}
