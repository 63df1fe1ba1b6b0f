import { useTranslation } from "react-i18next";
import { Combobox } from "@/components/combobox";
import { useProperties } from "@/components/rule/use-properties";
import { Letter } from "@/components/variation";
import type { UsersPlace } from "@/lib/api/known";
import { same } from "@/lib/draft/commands";
import { type Flag, type Serving as Served, everybody, labelOf } from "@/lib/model/flag";
import { only, shareOf, withShare } from "@/lib/model/rollout";
import { RolloutBar } from "./rollout-bar";
import classes from "./serving.module.css";
import { ShareInput } from "./share-input";
import { Shifts } from "./shifts";
import { VariationSelect } from "./variation-select";

interface Props {
  place: UsersPlace;
  flag: Flag;
  serving: Served;
  /** As the server has it; none where the rule is new. */
  before?: Served | undefined;
  change: (serving: Served) => void;
  /** Whether the shares are shown where everybody gets one variation, too. */
  open?: boolean;
}

const SPLIT = "split";

/** Who gets which variation: one for everybody, or shares of a bar. */
export function Serving({ place, flag, serving, before, change, open = false }: Props) {
  const { t } = useTranslation();
  const single = only(serving);
  const ids = flag.variations.map((it) => it.id);
  function choose(variation: string) {
    if (variation !== SPLIT) change({ ...serving, parts: everybody(variation).parts });
    else change(withShare(serving, single ?? ids[0] ?? "", 0.5, ids));
  }
  return (
    <div className={classes.serving}>
      {!open && (
        <VariationSelect
          flag={flag}
          label={t("flag.serves")}
          value={single ?? SPLIT}
          change={choose}
          more={{ key: SPLIT, label: t("flag.split") }}
        />
      )}
      {(open || single === undefined) && (
        <div className={classes.split}>
          <RolloutBar flag={flag} serving={serving} change={change} />
          <div className={classes.shares}>
            {flag.variations.map((variation, index) => (
              <span key={variation.id} className={classes.share}>
                <Letter place={index} />
                <ShareInput
                  label={t("flag.shareOf", { variation: labelOf(variation) })}
                  share={shareOf(serving, variation.id)}
                  change={(share) => change(withShare(serving, variation.id, share, ids))}
                />
                <span className={classes.cut} title={labelOf(variation)}>
                  {labelOf(variation)}
                </span>
              </span>
            ))}
          </div>
          {before && !same(before, serving) && (
            <Shifts flag={flag} before={before} after={serving} />
          )}
          {single === undefined && (
            <SplitBy
              place={place}
              value={serving.dispatchKey}
              change={(dispatchKey) => change({ ...serving, dispatchKey })}
            />
          )}
        </div>
      )}
    </div>
  );
}

interface ByProps {
  place: UsersPlace;
  value: string | null;
  change: (property: string | null) => void;
}

/** The property whose value decides a user's place on the bar. */
function SplitBy({ place, value, change }: ByProps) {
  const { t } = useTranslation();
  const { options } = useProperties(place);
  return (
    <div className={classes.by}>
      <span aria-hidden="true">{t("flag.splitBy")}</span>
      <Combobox
        label={t("flag.splitBy")}
        placeholder={t("rule.userKey")}
        eager
        className={classes.property}
        options={options}
        value={value ?? ""}
        change={(name) => change(name === "" || name === "keyId" ? null : name)}
      />
      <span>{t("flag.splitByHelp")}</span>
    </div>
  );
}
