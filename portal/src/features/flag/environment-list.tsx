import { useVirtualizer } from "@tanstack/react-virtual";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import type { Schemas } from "@/lib/api/client";
import classes from "./environment-tabs.module.css";
import { State } from "./state";
import { useFlag } from "./use-flag";

interface Props {
  all: Schemas["EnvironmentView"][];
  close: () => void;
}

const ROW_PX = 36;
const ROW_NARROW_PX = 44;
/** So many are seen at a time. */
const SEEN = 8;

/** All environments, with what the flag is there; searched by key or name. */
export function EnvironmentList({ all, close }: Props) {
  const { t } = useTranslation();
  const { organization, project, key, view } = useFlag();
  const [text, setText] = useState("");
  // Not a ref: it is there when the popover has drawn it, which is later than this.
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const wanted = text.trim().toLowerCase();
  const found = all.filter((it) => `${it.key} ${it.name}`.toLowerCase().includes(wanted));
  const height = matchMedia("(max-width: 600px)").matches ? ROW_NARROW_PX : ROW_PX;
  const rows = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller,
    estimateSize: () => height,
    overscan: 4,
  });
  return (
    <>
      <input
        type="search"
        className={classes.search}
        data-autofocus
        aria-label={t("flag.searchEnvironments")}
        placeholder={t("flag.searchEnvironments")}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          scroller?.querySelector("a")?.click();
        }}
      />
      {found.length === 0 && <p className={classes.none}>{t("flag.noEnvironment")}</p>}
      <div
        ref={setScroller}
        className={classes.scroller}
        style={{ height: Math.min(found.length, SEEN) * height }}
      >
        <ul style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map(({ index, start, size }) => {
            const it = found[index];
            return (
              it && (
                <li
                  key={it.key}
                  aria-setsize={found.length}
                  aria-posinset={index + 1}
                  className={classes.row}
                  style={{ top: start, height: size }}
                >
                  <Link
                    to="/$organization/$project/flags/$flag/$environment"
                    params={{ organization, project, flag: key, environment: it.key }}
                    onClick={close}
                  >
                    <EnvironmentName of={it} />
                    <State of={view?.targetings[it.key]} />
                  </Link>
                </li>
              )
            );
          })}
        </ul>
      </div>
    </>
  );
}
