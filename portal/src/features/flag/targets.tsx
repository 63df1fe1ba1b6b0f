import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Letter } from "@/components/variation";
import type { UsersPlace } from "@/lib/api/known";
import { useFormat } from "@/lib/format";
import { type Flag, type Targeting, labelOf } from "@/lib/model/flag";
import { inTwo, once, withTargets } from "@/lib/model/targets";
import { TargetKeys } from "./target-keys";
import classes from "./targets.module.css";

interface Props {
  place: UsersPlace;
  flag: Flag;
  targeting: Targeting;
  edit: (change: (it: Targeting) => Targeting) => void;
}

/** So many keys are named where they move. */
const NAMED = 3;

/** Users who get a variation whatever the rules say. Who is put on one list leaves the others. */
export function Targets({ place, flag, targeting, edit }: Props) {
  const { t } = useTranslation();
  const { list, number } = useFormat();
  const [taken, setTaken] = useState<{ variation: string; text: string }>();
  const ids = flag.variations.map((it) => it.id);
  const nameOf = (id: string) => labelOf(flag.variations.find((it) => it.id === id));
  const twice = inTwo(targeting.targets, ids);

  function set(variation: string, keys: string[]) {
    const next = withTargets(targeting.targets, variation, keys);
    const words = next.taken.map(({ variation: from, keys: gone }) =>
      t("flag.takenFrom", {
        count: gone.length,
        number: number(gone.length),
        keys: gone.length > NAMED ? "" : list(gone),
        variation: nameOf(from),
        context: gone.length > NAMED ? "many" : "named",
      }),
    );
    setTaken(words.length > 0 ? { variation, text: words.join(" ") } : undefined);
    edit((it) => ({ ...it, targets: withTargets(it.targets, variation, keys).targets }));
  }

  return (
    <div className={classes.targets}>
      {twice.length > 0 && (
        <p className={classes.twice} role="alert">
          {t("flag.inTwo", { count: twice.length, keys: list(twice.slice(0, NAMED)) })}
          <Button small onClick={() => edit((it) => ({ ...it, targets: once(it.targets, ids) }))}>
            {t("flag.keepFirst")}
          </Button>
        </p>
      )}
      {flag.variations.map((variation, index) => (
        <div key={variation.id} className={classes.target}>
          <span className={classes.name} title={labelOf(variation)}>
            <Letter place={index} />
            <span>{labelOf(variation)}</span>
          </span>
          <div className={classes.keys}>
            <TargetKeys
              place={place}
              label={t("flag.targetsOf", {
                variation: labelOf(variation),
                environment: place.environment,
              })}
              file={`${flag.key}-${place.environment}-${labelOf(variation)}`}
              keys={targeting.targets[variation.id] ?? []}
              change={(keys) => set(variation.id, keys)}
            />
            <p role="status" className={classes.taken}>
              {taken?.variation === variation.id && taken.text}
            </p>
          </div>
        </div>
      ))}
    </div>
  );
}
