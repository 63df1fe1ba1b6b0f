import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import type { Filter, Sort } from "@/lib/filter";
import { editedIn } from "@/lib/draft/draft";
import { useDraft } from "@/lib/draft/store";
import classes from "./flags.module.css";
import { Header } from "./header";
import { useListKeys } from "./list-keys";
import { type Opened, Popups } from "./popups";
import { Row, type RowShared } from "./row";
import { useRoving } from "./roving";
import type { Selection } from "./selection";

interface Props {
  organization: string;
  project: string;
  /** Those that are columns. */
  environments: Schemas["EnvironmentView"][];
  /** How many there are in the project. */
  whole: number;
  index: Schemas["FlagIndex"];
  items: Schemas["IndexedFlagView"][];
  filter: Filter;
  sort: (next: Sort) => void;
  comfortable: boolean;
  selection: Selection;
  archive: (items: Schemas["IndexedFlagView"][]) => void;
}

const HEADER_PX = 32;

/** On a phone: the name, and the environments as buttons below it. */
const narrowHeight = (environments: number, stale: boolean) =>
  56 + Math.ceil(environments / 2) * 48 + (stale ? 48 : 0);

/** The rows that are in view, however many there are. */
export function FlagList(props: Props) {
  const { organization, project, environments, whole, items, filter, selection, archive } = props;
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery("(max-width: 760px)", undefined, {
    getInitialValueInEffect: false,
  });
  const stale = filter.stale ?? false;
  const height = narrow ? narrowHeight(environments.length, stale) : props.comfortable ? 44 : 36;
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    scrollPaddingStart: narrow ? 0 : HEADER_PX,
    overscan: 6,
  });
  useEffect(() => rows.measure(), [rows, height]);
  const [opened, setOpened] = useState<Opened>();
  const roving = useRoving(scroller, items.length, (row) => rows.scrollToIndex(row));
  const { active } = roving;
  const draft = useDraft();
  const edited = useMemo(() => editedIn(draft, "flag", project), [draft, project]);
  const others = whole > environments.length;
  useListKeys(props, roving);

  const wide = [
    "20px",
    "minmax(200px, 2fr)",
    ...environments.map(() => "minmax(112px, 160px)"),
    ...(others ? ["72px"] : []),
    stale ? "minmax(260px, 1.6fr)" : "minmax(90px, 1fr)",
    "minmax(140px, 200px)",
    "28px",
  ];
  const columns = narrow ? "44px 1fr 1fr 44px" : wide.join(" ");
  const asked = props.index.environments;
  const shared = useMemo(
    (): RowShared => ({
      organization,
      project,
      environments,
      places: environments.map((it) => asked.indexOf(it.key)),
      whole,
      columns,
      stale,
      open: setOpened,
      archive,
    }),
    [organization, project, environments, asked, whole, columns, stale, archive],
  );
  const { toggle } = selection;

  return (
    <>
      <div
        className={classes.table}
        role="grid"
        aria-rowcount={items.length + 1}
        aria-colcount={environments.length + (others ? 6 : 5)}
        aria-multiselectable
        aria-label={t("flags.title")}
        data-narrow={narrow || undefined}
      >
        <div
          className={classes.scroller}
          ref={scroller}
          role="presentation"
          onKeyDown={roving.keys}
          onFocus={roving.focused}
        >
          <Header
            {...shared}
            count={items.length}
            selection={selection}
            filter={filter}
            sort={props.sort}
          />
          <div className={classes.rows} role="rowgroup" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ index, start, size }) => {
              const item = items[index];
              return (
                item && (
                  <Row
                    key={item.key}
                    shared={shared}
                    item={item}
                    row={index}
                    top={start}
                    height={size}
                    active={active.row === index ? active.column : -1}
                    edited={edited.has(item.key)}
                    selected={selection.keys.has(item.key)}
                    toggle={toggle}
                  />
                )
              );
            })}
          </div>
        </div>
      </div>
      <Popups
        {...shared}
        index={props.index}
        opened={opened}
        open={setOpened}
        close={() => setOpened(undefined)}
      />
    </>
  );
}
