import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Letter } from "@/components/variation";
import { propertiesQuery } from "@/lib/api/queries";
import { type Flag, type Serving as Served, everybody, labelOf } from "@/lib/model/flag";
import { only, shareOf, withShare } from "@/lib/model/rollout";
import { RolloutBar } from "./rollout-bar";
import classes from "./flag.module.css";
import { ShareInput } from "./share-input";
import { useFlag } from "./use-flag";
import { VariationSelect } from "./variation-select";

interface Props {
  flag: Flag;
  environment: string;
  serving: Served;
  change: (serving: Served) => void;
  /** Whether the shares are shown where everybody gets one variation, too. */
  open?: boolean;
}

const SPLIT = "split";

/** Who gets which variation: one for everybody, or shares of a bar. */
export function Serving({ flag, environment, serving, change, open = false }: Props) {
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
            {flag.variations.map((variation, place) => (
              <span key={variation.id} className={classes.share}>
                <Letter place={place} />
                <ShareInput
                  label={t("flag.shareOf", { variation: labelOf(variation) })}
                  share={shareOf(serving, variation.id)}
                  change={(share) => change(withShare(serving, variation.id, share, ids))}
                />
                <span className={classes.cut}>{labelOf(variation)}</span>
              </span>
            ))}
          </div>
          <SplitBy
            environment={environment}
            value={serving.dispatchKey}
            change={(dispatchKey) => change({ ...serving, dispatchKey })}
          />
        </div>
      )}
    </div>
  );
}

interface ByProps {
  environment: string;
  value: string | null;
  change: (property: string | null) => void;
}

/** The property whose value decides a user's place on the bar. */
function SplitBy({ environment, value, change }: ByProps) {
  const { t } = useTranslation();
  const list = useId();
  const { organization, project } = useFlag();
  const properties = useQuery(propertiesQuery(organization, project, environment));
  return (
    <label className={classes.by}>
      {t("flag.splitBy")}
      <input
        className={`${classes.control} ${classes.word}`}
        list={list}
        placeholder={t("flag.userKey")}
        value={value ?? ""}
        onChange={(event) => change(event.target.value === "" ? null : event.target.value)}
      />
      <datalist id={list}>
        {properties.data?.items.map((it) => (
          <option key={it.name} value={it.name} />
        ))}
      </datalist>
    </label>
  );
}
