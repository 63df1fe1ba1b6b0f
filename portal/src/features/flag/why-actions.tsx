import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Schemas } from "@/lib/api/client";
import { type Targeting, labelOf, targetingIn } from "@/lib/model/flag";
import { verdictOf } from "@/lib/why";
import { editTargeting, useFlag } from "./use-flag";
import classes from "./why.module.css";

/** So many variations are buttons; of more they are a list. */
const BUTTONS = 3;

interface Props {
  environment: string;
  answer: Schemas["FlagEvaluation"];
  user: string;
}

/** What can be done about an answer: give them another variation, or go to the rule. */
export function WhyActions({ environment, answer, user }: Props) {
  const { t } = useTranslation();
  const { server, view } = useFlag();
  if (!server || !view || view.flag.archived) return null;
  const targeting = targetingIn(view, environment);
  const { rule } = verdictOf(answer, view.flag.onVariation);
  const there = rule && targeting.rules.some((it) => it.id === rule.id);
  const others = view.flag.variations.filter((it) => it.id !== answer.variation?.id);
  const serve = (variation: string) =>
    editTargeting(server, environment, (it) => withTarget(it, user, variation));

  return (
    <div className={classes.actions}>
      {targeting.on && others.length <= BUTTONS
        ? others.map((it) => (
            <Button key={it.id} small title={t("why.waits")} onClick={() => serve(it.id)}>
              {t("why.serve", { user, variation: labelOf(it) })}
            </Button>
          ))
        : targeting.on && (
            <select
              className={classes.control}
              aria-label={t("why.serveAnother", { user })}
              value=""
              onChange={(event) => serve(event.target.value)}
            >
              <option value="">{t("why.serveAnother", { user })}</option>
              {others.map((it) => (
                <option key={it.id} value={it.id}>
                  {labelOf(it)}
                </option>
              ))}
            </select>
          )}
      {there && (
        <Button small onClick={() => goTo(rule.id)}>
          {t("why.editRule", { number: targeting.rules.findIndex((it) => it.id === rule.id) + 1 })}
        </Button>
      )}
    </div>
  );
}

/** One target more; who is on another list leaves it. */
function withTarget(targeting: Targeting, user: string, variation: string): Targeting {
  const left = Object.entries(targeting.targets).map(
    ([id, keys]) => [id, keys.filter((it) => it !== user)] as const,
  );
  const targets = Object.fromEntries(left.filter(([, keys]) => keys.length > 0));
  const keys = [...(targets[variation] ?? []), user];
  return { ...targeting, targets: { ...targets, [variation]: keys } };
}

/** The rule is further down on the same page: there, with the focus in it. */
function goTo(rule: string) {
  const element = document.getElementById(`rule-${rule}`);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element?.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
  element?.querySelector<HTMLElement>("input, select")?.focus({ preventScroll: true });
}
