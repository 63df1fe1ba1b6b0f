import { useTranslation } from "react-i18next";
import { Letter } from "@/components/variation";
import { type Flag, type Targeting, labelOf } from "@/lib/model/flag";
import { Chips } from "./chips";
import classes from "./flag.module.css";

interface Props {
  flag: Flag;
  targeting: Targeting;
  environment: string;
  edit: (change: (it: Targeting) => Targeting) => void;
}

/** Users who get a variation whatever the rules say. Who is put on one list leaves the others. */
export function Targets({ flag, targeting, environment, edit }: Props) {
  const { t } = useTranslation();
  function set(variation: string, keys: string[]) {
    const chosen = new Set(keys);
    edit((it) => {
      const others = Object.entries(it.targets)
        .filter(([id]) => id !== variation)
        .map(([id, list]) => [id, list.filter((key) => !chosen.has(key))] as const);
      const lists = [...others, [variation, keys] as const].filter(([, list]) => list.length > 0);
      return { ...it, targets: Object.fromEntries(lists) };
    });
  }
  return (
    <div className={classes.targets}>
      {flag.variations.map((variation, place) => (
        <div key={variation.id} className={classes.target}>
          <span className={classes.targetName}>
            <Letter place={place} />
            <span className={classes.cut}>{labelOf(variation)}</span>
          </span>
          <Chips
            label={t("flag.targetsOf", { variation: labelOf(variation), environment })}
            placeholder={t("flag.targetsPlaceholder")}
            values={targeting.targets[variation.id] ?? []}
            change={(keys) => set(variation.id, keys)}
          />
        </div>
      ))}
    </div>
  );
}
