import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { type Flag, labelOf } from "@/lib/model/flag";
import { rolloutWords } from "@/lib/why";
import { Sentence } from "./sentence";
import { ShareBar } from "./variation";
import { Gets } from "./why-gets";
import { Has } from "./why-condition";
import classes from "./why.module.css";

interface Props {
  flag: Pick<Flag, "variations">;
  split: Schemas["Split"];
}

/** How a rollout splits users, and where this one falls. */
export function WhySplit({ flag, split }: Props) {
  const { t, i18n } = useTranslation();
  const { place, ranges } = rolloutWords(i18n.language);
  const of = (id: string) => flag.variations.find((it) => it.id === id);
  const { bucket, by, value, experiment } = split;
  if (bucket == null) return null;
  const parts = split.parts.filter((it) => it.to > it.from);
  // A bar has no place for those who are left out.
  const whole = parts.reduce((sum, it) => sum + it.to - it.from, 0) > 0.99999;
  const borders = parts.flatMap((it) => [it.from, it.to]);
  const words = {
    by: by === "keyId" ? t("why.userKey") : <code className={classes.text}>{by}</code>,
    has: <Has value={value ?? null} bare />,
    at: <strong>{place(bucket, borders)}</strong>,
  };
  return (
    <div className={classes.split}>
      <p>
        <Sentence text={t("why.split")} parts={words} />
      </p>
      {whole && (
        <div className={classes.bar}>
          <ShareBar
            tall
            shares={parts.map(({ variation, from, to }) => ({
              place: Math.max(
                flag.variations.findIndex((it) => it.id === variation),
                0,
              ),
              share: to - from,
              label: labelOf(of(variation)),
            }))}
          />
          <span className={classes.here} style={{ left: `${bucket * 100}%` }} aria-hidden="true" />
        </div>
      )}
      <ul className={classes.parts}>
        {parts.map(({ variation, from, to, taken }) => (
          <li key={`${variation} ${from}`} data-taken={taken || undefined}>
            {ranges([[from, to]])} <Gets flag={flag} variation={of(variation)} />
            {taken && <span className="hidden">{t("why.here")}</span>}
          </li>
        ))}
      </ul>
      {experiment && (
        <p className={classes.has}>
          {t(experiment.sent ? "why.experimentIn" : "why.experimentOut", {
            at: place(experiment.bucket, [experiment.share]),
            share: ranges([[0, experiment.share]]),
          })}
        </p>
      )}
    </div>
  );
}
