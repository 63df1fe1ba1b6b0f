import { useMediaQuery } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { UserFlag } from "./user-flag";
import classes from "./users.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  user: string;
  items: Schemas["FlagEvaluation"][];
  /** Of flags, by key. */
  names: Map<string, string>;
  /** The version that is shown, where it is not the present. */
  version: number | undefined;
}

/** The flags that are in view, however many there are. */
export function UserFlagList(props: Props) {
  const { organization, project, environment, user, items, names, version } = props;
  const { t } = useTranslation();
  const narrow = useMediaQuery("(max-width: 760px)", undefined, {
    getInitialValueInEffect: false,
  });
  const height = narrow ? 68 : 40;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
  });
  useEffect(() => rows.measure(), [rows, height]);
  return (
    <div
      ref={scroller}
      className={classes.flags}
      // It scrolls by the keys, too.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="group"
      aria-labelledby="user-flags"
    >
      <ul style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, size }) => {
          const item = items[index];
          return (
            item && (
              <li
                key={item.flag}
                className={classes.flagRow}
                style={{ transform: `translateY(${start}px)`, height: size }}
              >
                <UserFlag answer={item} name={names.get(item.flag)} />
                <Link
                  to="/$organization/$project/flags/$flag/$environment/why"
                  params={{ organization, project, environment, flag: item.flag }}
                  search={{ user, ...(version === undefined ? {} : { version }) }}
                  aria-label={t("users.whyOf", { flag: item.flag })}
                >
                  {t("users.why")}
                </Link>
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
