import { useTranslation } from "react-i18next";
import { Pennant } from "@/components/environment";
import { Sentence } from "@/components/sentence";
import type { Schemas } from "@/lib/api/client";
import type { Pair } from "@/lib/pairs";
import classes from "./compare.module.css";

interface Props {
  environments: Schemas["EnvironmentView"][];
  pair: Pair;
  change: (pair: Pair) => void;
}

/** From where to where. Choosing the other side's environment turns the pair round. */
export function PairChoice({ environments, pair, change }: Props) {
  const { t } = useTranslation();
  const set = (side: keyof Pair, key: string) => {
    const other = side === "from" ? pair.to : pair.from;
    if (key === other) change({ from: pair.to, to: pair.from });
    else change({ ...pair, [side]: key });
  };
  const choice = (side: keyof Pair) => {
    const chosen = environments.find((it) => it.key === pair[side]);
    return (
      <span className={classes.choice}>
        {chosen && <Pennant colour={chosen.colour} filled={chosen.protected} />}
        <select
          aria-label={t(side === "from" ? "compare.from" : "compare.to")}
          value={pair[side]}
          onChange={(event) => set(side, event.target.value)}
        >
          {environments.map((it) => (
            <option key={it.key} value={it.key}>
              {it.key}
            </option>
          ))}
        </select>
      </span>
    );
  };
  return (
    <p className={classes.pair}>
      <Sentence text={t("compare.pair")} parts={{ from: choice("from"), to: choice("to") }} />
    </p>
  );
}
