import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { type Flag, type Targeting, labelOf } from "@/lib/model/flag";
import { merged } from "@/lib/model/rollout";
import { shareWords } from "@/lib/phrases";
import classes from "./diff-lines.module.css";

interface Props {
  environment: string;
  flag: Flag;
  /** As it will be. */
  targeting: Targeting;
}

/** Where no users are known there is nobody to count: what everybody will get is known. */
export function Gets({ environment, flag, targeting }: Props) {
  const { t } = useTranslation();
  const { share, list, either } = useFormat();
  const name = (id: string) => labelOf(flag.variations.find((it) => it.id === id));
  const { on, rules, targets, defaultRule, offVariation } = targeting;
  const shares = merged(defaultRule)
    .filter(([, share]) => share > 0)
    .map(([id, share]) => ({ share, name: name(id) }));
  const serves = on ? shareWords({ t, share, list, either }, shares, null) : name(offVariation);
  const some = rules.length > 0 || Object.values(targets).some((keys) => keys.length > 0);
  return (
    <ul className={classes.lines}>
      <li>{t(on && some ? "quick.othersGet" : "quick.everybodyGets", { environment, serves })}</li>
    </ul>
  );
}
