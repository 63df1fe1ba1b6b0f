import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { Button } from "@/components/button";
import { JsonDiff } from "@/components/json-diff";
import { Letter, letterOf } from "@/components/variation";
import { type Variation, type WholeFlag, labelOf } from "@/lib/model/flag";
import { jsonDiff } from "@/lib/model/json-diff";
import { servedIn } from "@/lib/model/served";
import { Icon } from "./icons";
import { ServedList } from "./served-list";
import { VariationValue } from "./variation-value";
import classes from "./variations.module.css";

interface Props {
  view: WholeFlag;
  variation: Variation;
  /** As the server has it; none where it is new. */
  before: Variation | undefined;
  place: number;
  change: (variation: Variation) => void;
  remove: () => void;
}

/** A variation: its name, its value, and what became of it. */
export function VariationRow({ view, variation, before, place, change, remove }: Props) {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const { flag } = view;
  const letter = letterOf(place);
  const diff =
    flag.type === "json" && before && before.value !== variation.value
      ? jsonDiff(before.value, variation.value)
      : undefined;
  const removable = flag.type !== "boolean" && flag.variations.length > 1;
  return (
    <li className={classes.variation}>
      <span className={classes.letter}>
        <Letter place={place} />
      </span>
      <input
        className={classes.name}
        aria-label={t("flag.variationName", { letter })}
        placeholder={t("flag.noName")}
        value={variation.name ?? ""}
        onChange={(event) => change({ ...variation, name: event.target.value || null })}
      />
      <div className={classes.valueCell}>
        <VariationValue
          type={flag.type}
          label={t("create.value", { letter })}
          value={variation.value}
          change={(value) => change({ ...variation, value })}
        />
        {diff && diff.length > 0 && <JsonDiff of={diff} />}
      </div>
      {removable && (
        <Button
          small
          look="quiet"
          aria-label={t("create.removeValue", { letter })}
          onClick={(event) => {
            if (servedIn(view, variation.id).length > 0) setAnchor(event.currentTarget);
            else remove();
          }}
        >
          <Icon of="remove" />
        </Button>
      )}
      {anchor && (
        <Anchored
          anchor={anchor}
          title={t("flag.isServed", { variation: labelOf(variation) })}
          close={() => setAnchor(undefined)}
        >
          <ServedList of={servedIn(view, variation.id)} />
        </Anchored>
      )}
    </li>
  );
}
