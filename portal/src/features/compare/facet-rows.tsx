import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { TargetingFacet } from "@/lib/api/compare";
import { useFormat } from "@/lib/format";
import type { Variation } from "@/lib/model/flag";
import type { Pair } from "@/lib/pairs";
import { type Difference, sideWords } from "@/lib/sides";
import classes from "./compare.module.css";

export interface FacetRowsProps {
  flag: string;
  pair: Pair;
  rows: Difference[];
  /** With its variations sides are said in the reader's language. */
  variations: readonly Variation[] | undefined;
  /** Names of segments by their ids. */
  segment: (id: string) => string | undefined;
  /** Whether it is released where it is taken from. */
  released: boolean;
  taken: (facet: TargetingFacet) => boolean;
  take: (facet: TargetingFacet) => void;
}

/** The parts of a flag side by side; each can be taken. */
export function FacetRows({ flag, pair, rows, released, taken, take, ...known }: FacetRowsProps) {
  const { t } = useTranslation();
  const { share, list, either } = useFormat();
  const phrases = { t, share, list, either, segment: known.segment };
  const words = (facet: TargetingFacet, side: Difference["from"]) =>
    sideWords(phrases, facet, side, known.variations);
  return (
    <dl className={classes.facets}>
      {rows.map(({ facet, from, to }) => (
        <div key={facet} className={classes.facet}>
          <dt>{t(`compare.facets.${facet}`)}</dt>
          <dd>
            <span className={classes.side}>{pair.from}</span>
            {words(facet, from)}
          </dd>
          <dd>
            <span className={classes.side}>{pair.to}</span>
            {words(facet, to)}
          </dd>
          <dd className={classes.take}>
            {taken(facet) ? (
              <span className={classes.taken}>{t("compare.inReview")}</span>
            ) : (
              <Button
                small
                aria-label={t("compare.takeFacet", { facet: t(`compare.facets.${facet}`), flag })}
                lacking={
                  released ? undefined : t("compare.nothingToTake", { environment: pair.from })
                }
                onClick={() => take(facet)}
              >
                {t("compare.take")}
              </Button>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
