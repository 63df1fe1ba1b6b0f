import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Schemas } from "@/lib/api/client";
import { type Pair, writtenPair } from "@/lib/pairs";
import { differences } from "@/lib/sides";
import classes from "./compare.module.css";
import { FacetRows, type FacetRowsProps } from "./facet-rows";

interface Props extends Pick<FacetRowsProps, "variations" | "segment"> {
  organization: string;
  project: string;
  pair: Pair;
  item: Schemas["ComparedFlag"];
  taken: (facet: Schemas["TargetingFacet"]) => boolean;
  take: (facets?: Schemas["TargetingFacet"][]) => void;
}

/** A flag that does something else in the two, part by part. */
export function ComparedFlag({ organization, project, pair, item, taken, take, ...known }: Props) {
  const { t } = useTranslation();
  const rows = differences(item);
  const done = rows.every(({ facet }) => taken(facet));
  return (
    <li className={classes.flag}>
      <div className={classes.flagHead}>
        <Link
          to="/$organization/$project/flags/$flag/compare/$pair"
          params={{ organization, project, flag: item.flag, pair: writtenPair(pair) }}
        >
          {item.name}
        </Link>
        {item.name !== item.flag && <code className={classes.quiet}>{item.flag}</code>}
        {item.released[0] && rows.length > 1 && !done && (
          <Button
            small
            aria-label={t("compare.takeFlag", { flag: item.flag })}
            onClick={() => take()}
          >
            {t("compare.takeWhole")}
          </Button>
        )}
      </div>
      <FacetRows
        flag={item.flag}
        pair={pair}
        rows={rows}
        released={item.released[0] ?? false}
        {...known}
        taken={taken}
        take={(facet) => take([facet])}
      />
    </li>
  );
}
