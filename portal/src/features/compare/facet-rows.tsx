import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { TargetingFacet } from "@/lib/api/compare";
import { useFormat } from "@/lib/format";
import type { WholeFlag } from "@/lib/model/flag";
import type { Pair } from "@/lib/pairs";
import { type Difference, sideWords } from "@/lib/sides";
import classes from "./compare.module.css";

interface Props {
  flag: string;
  pair: Pair;
  rows: Difference[];
  /** With its variations sides are said in the reader's language. */
  whole?: WholeFlag | undefined;
  /** Whether it is released where it is taken from. */
  released: boolean;
  taken: (facet: TargetingFacet) => boolean;
  take: (facet: TargetingFacet) => void;
}

/** The parts of a flag side by side; each can be taken. */
export function FacetRows({ flag, pair, rows, whole, released, taken, take }: Props) {
  const { t } = useTranslation();
  const { share, list, either } = useFormat();
  const speaker = { t, share, list, either, whole };
  const words = (facet: TargetingFacet, side: Difference["from"]) =>
    sideWords(speaker, facet, side, whole?.flag.variations);
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
