import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./diff-lines.module.css";

/** Who gets something else: how many of how many, from what to what. */
export function Effects({ of }: { of: Schemas["EnvironmentEffect"][] }) {
  return (
    <ul className={classes.lines}>
      {of.map((effect) => (
        <EnvironmentEffect key={effect.environment} effect={effect} />
      ))}
    </ul>
  );
}

function EnvironmentEffect({ effect }: { effect: Schemas["EnvironmentEffect"] }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const environment = effect.environment.split("/")[1] ?? effect.environment;
  const none = t("effect.codeDefault");
  const name = (it: Schemas["Move"]["from"]) => it?.name ?? it?.value ?? none;
  if (effect.users === 0) return <li>{t("effect.nobodyKnown", { environment })}</li>;
  // A change of one flag can move users of those that need it: then each line says which it is of.
  const place = (flag: string) =>
    effect.flags.length > 1 ? t("effect.place", { flag, environment }) : environment;
  const moves = effect.flags.flatMap(({ flag, moves }) => moves.map((it) => ({ flag, ...it })));
  const whole = { environment, whole: number(effect.sampled?.of ?? effect.users) };
  if (moves.length === 0) return <li>{t("effect.nobodyMoves", whole)}</li>;
  const { sampled } = effect;
  const times = sampled ? sampled.of / Math.max(1, effect.users) : 1;
  return moves.map(({ flag, from, to, users }) => (
    <li key={`${flag} ${from?.id ?? ""} ${to?.id ?? ""}`}>
      {t(sampled ? "effect.movesAbout" : "effect.moves", {
        ...whole,
        environment: place(flag),
        count: Math.round(users * times),
        users: number(Math.round(users * times)),
        from: name(from),
        to: name(to),
        sample: number(effect.users),
      })}
    </li>
  ));
}
