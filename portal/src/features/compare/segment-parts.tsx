import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useFormat } from "@/lib/format";
import type { Segment } from "@/lib/model/segment";
import type { Pair } from "@/lib/pairs";
import { type ComparedSegment, type Part, onlyIn } from "@/lib/segment-compare";
import { conditionWords } from "@/lib/phrases";
import classes from "./compare.module.css";

interface Props {
  item: ComparedSegment;
  pair: Pair;
  /** None where it is not there at one of the two: then it is taken whole. */
  take: ((part: Part) => void) | undefined;
}

/** The parts of a segment side by side. */
export function SegmentParts({ item, pair, take }: Props) {
  const { t } = useTranslation();
  const { number, share, list, either } = useFormat();
  const { from, to, parts } = item;
  const phrases = { t, share, list, either };

  function words(part: Part, one: Segment | undefined, other: Segment | undefined): string {
    if (!one) return t("compare.notThere");
    switch (part) {
      case "state":
        return t(one.archived ? "compare.archived" : "compare.live");
      case "details":
        return one.description === "" ? one.name : `${one.name}\n${one.description}`;
      case "rules": {
        const rules = one.rules.map((it) => conditionWords(phrases, it.conditions));
        return rules.length === 0 ? t("compare.noRules") : rules.join("\n");
      }
      default: {
        const keys = one[part];
        if (keys.length === 0) return t("compare.nobody");
        const only = onlyIn(keys, other?.[part]);
        const numbers = { count: keys.length, number: number(keys.length), only: number(only) };
        return t(only > 0 ? "compare.usersOnly" : "compare.users", numbers);
      }
    }
  }
  // Where it is at one of the two alone, whom it takes in is what one asks.
  const shown = from && to ? parts : (["included", "rules"] as const);
  return (
    <dl className={classes.facets}>
      {shown.map((part) => (
        <div key={part} className={classes.facet}>
          <dt>{t(`compare.parts.${part}`)}</dt>
          <dd>
            <span className={classes.side}>{pair.from}</span>
            {words(part, from, to)}
          </dd>
          <dd>
            <span className={classes.side}>{pair.to}</span>
            {words(part, to, from)}
          </dd>
          <dd className={classes.take}>
            {take && (
              <Button
                small
                aria-label={t("compare.takeFacet", {
                  facet: t(`compare.parts.${part}`),
                  flag: item.key,
                })}
                onClick={() => take(part)}
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
