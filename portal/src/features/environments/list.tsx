import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Wrong } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { moveEnvironment } from "@/lib/api/environments";
import { environmentsQuery } from "@/lib/api/queries";
import classes from "./environments.module.css";
import { Row } from "./row";

interface Props {
  organization: string;
  project: string;
  items: Schemas["EnvironmentView"][];
}

const NARROW = "(max-width: 760px)";

/** The rows in view. They are put in another order by dragging, by ⌥↑ and ⌥↓, or by their menu. */
export function List({ organization, project, items }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const scroller = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<string>();
  const [over, setOver] = useState<string>();
  const [said, setSaid] = useState("");
  const height = matchMedia(NARROW).matches ? 88 : 48;
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 6,
  });
  const move = useMutation({
    mutationFn: async ({ key, to }: { key: string; to: number }) => {
      const others = items.filter((it) => it.key !== key);
      await moveEnvironment({ organization, project, environment: key }, others[to]?.key);
      await queries.invalidateQueries(environmentsQuery(organization, project));
      setSaid(t("environments.moved", { key, place: to + 1, count: items.length }));
    },
  });
  function to(key: string, place: number) {
    const from = items.findIndex((it) => it.key === key);
    const within = Math.max(0, Math.min(items.length - 1, place));
    if (within !== from && !move.isPending) move.mutate({ key, to: within });
  }
  return (
    <>
      <Wrong error={move.error} />
      <div role="status" className="hidden">
        {said}
      </div>
      <div className={classes.list} ref={scroller} role="list" aria-label={t("environments.title")}>
        <div style={{ height: rows.getTotalSize() }} className={classes.rows} role="presentation">
          {rows.getVirtualItems().map(({ index, start, size }) => {
            const it = items[index];
            return (
              it && (
                <Row
                  key={it.key}
                  organization={organization}
                  project={project}
                  environment={it}
                  index={index}
                  count={items.length}
                  top={start}
                  height={size}
                  over={over === it.key && dragged !== it.key}
                  move={(place) => to(it.key, place)}
                  drag={{
                    start: () => setDragged(it.key),
                    over: () => setOver(it.key),
                    drop: () => {
                      if (dragged !== undefined) to(dragged, index);
                    },
                    end: () => {
                      setDragged(undefined);
                      setOver(undefined);
                    },
                  }}
                />
              )
            );
          })}
        </div>
      </div>
    </>
  );
}
