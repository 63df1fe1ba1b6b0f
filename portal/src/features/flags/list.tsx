import { useVirtualizer } from "@tanstack/react-virtual";
import { Suspense, lazy, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import { EnvironmentMenu } from "@/components/environment-menu";
import type { Schemas } from "@/lib/api/client";
import { editedIn } from "@/lib/draft/draft";
import { useDraft } from "@/lib/draft/store";
import classes from "./flags.module.css";
import { Row } from "./row";
import { useRoving } from "./roving";

const Quick = lazy(() => import("./quick").then((it) => ({ default: it.Quick })));

interface Props {
  organization: string;
  project: string;
  environments: Schemas["EnvironmentView"][];
  items: Schemas["IndexedFlagView"][];
  comfortable: boolean;
}

/** Where a popover is open. */
export interface Opened {
  anchor: HTMLElement;
  flag: string;
  environment: string;
}

/** The rows that are in view, however many there are. */
export function FlagList({ organization, project, environments, items, comfortable }: Props) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const narrow = matchMedia("(max-width: 760px)").matches;
  const height = narrow ? 104 : comfortable ? 44 : 36;
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
  });
  const [opened, setOpened] = useState<Opened>();
  const { active, keys, focused } = useRoving(items.length, environments.length + 1, (row) =>
    rows.scrollToIndex(row),
  );
  const draft = useDraft();
  const edited = useMemo(() => editedIn(draft, "flag", project), [draft, project]);
  const columns = `minmax(200px, 2fr) ${"minmax(112px, 160px) ".repeat(environments.length)} minmax(90px, 1fr) 140px`;

  return (
    <>
      <div
        className={classes.table}
        role="table"
        aria-rowcount={items.length + 1}
        aria-label={t("flags.title")}
      >
        <div className={classes.header} role="row" style={{ gridTemplateColumns: columns }}>
          <span role="columnheader">{t("flags.name")}</span>
          {environments.map((it) => (
            <span role="columnheader" key={it.key}>
              <EnvironmentMenu organization={organization} project={project} environment={it.key}>
                <EnvironmentName of={it} />
              </EnvironmentMenu>
            </span>
          ))}
          <span role="columnheader">{t("flags.tags")}</span>
          <span role="columnheader">{t("flags.changed")}</span>
        </div>
        <div
          className={classes.scroller}
          ref={scroller}
          role="rowgroup"
          tabIndex={-1}
          onKeyDown={keys}
          onFocus={focused}
        >
          <div style={{ height: rows.getTotalSize(), position: "relative" }} role="presentation">
            {rows.getVirtualItems().map(({ index, start, size }) => {
              const item = items[index];
              return (
                item && (
                  <Row
                    key={item.key}
                    organization={organization}
                    project={project}
                    environments={environments}
                    item={item}
                    row={index}
                    top={start}
                    height={size}
                    columns={columns}
                    active={active.row === index ? active.column : -1}
                    edited={edited.has(item.key)}
                    open={setOpened}
                  />
                )
              );
            })}
          </div>
        </div>
      </div>
      <Suspense>
        {opened && (
          <Quick
            key={`${opened.flag} ${opened.environment}`}
            organization={organization}
            project={project}
            opened={opened}
            close={() => setOpened(undefined)}
          />
        )}
      </Suspense>
    </>
  );
}
