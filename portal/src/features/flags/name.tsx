import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import classes from "./flags.module.css";
import type { RowShared, Stop } from "./row";

interface Props {
  shared: RowShared;
  item: Schemas["IndexedFlagView"];
  edited: boolean;
  stop: Stop;
}

/** What a flag is called; leads to it. */
export function Name({ shared, item, edited, stop }: Props) {
  const { t } = useTranslation();
  const { organization, project, environments } = shared;
  const first = environments[0]?.key;
  const params = { organization, project, flag: item.key };
  const name = (
    <>
      <span className={classes.title}>{item.name}</span>
      {item.name !== item.key && <code className={classes.key}>{item.key}</code>}
      {edited && <span className={classes.edited}>{t("flags.edited")}</span>}
      {item.stale && !shared.stale && <span className={classes.stale}>{t("flags.stale")}</span>}
    </>
  );
  return first === undefined ? (
    <Link
      to="/$organization/$project/flags/$flag"
      params={params}
      className={classes.name}
      {...stop}
    >
      {name}
    </Link>
  ) : (
    <Link
      to="/$organization/$project/flags/$flag/$environment"
      params={{ ...params, environment: first }}
      className={classes.name}
      {...stop}
    >
      {name}
    </Link>
  );
}
