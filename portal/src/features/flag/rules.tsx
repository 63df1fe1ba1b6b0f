import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { UsersPlace } from "@/lib/api/known";
import { type Flag, type Rule, type Targeting, everybody } from "@/lib/model/flag";
import { uuid } from "@/lib/uuid";
import { Decides } from "./decides";
import { RuleSentence } from "./rule";
import { RuleNotes } from "./rule-notes";
import classes from "./rules.module.css";
import type { Audience } from "./use-audience";
import { useDrag } from "./use-drag";

interface Props {
  place: UsersPlace;
  flag: Flag;
  targeting: Targeting;
  server: Targeting;
  audience: Audience;
  warnings: { code: string; pointer: string; message: string }[];
  edit: (change: (it: Targeting) => Targeting) => void;
}

/** The rules in the order in which they are tried. */
export function RuleList({ place, flag, targeting, server, warnings, audience, edit }: Props) {
  const { t } = useTranslation();
  const { rules } = targeting;
  const [fresh, setFresh] = useState<string>();
  const set = (change: (rules: Rule[]) => Rule[]) =>
    edit((it) => ({ ...it, rules: change(it.rules) }));

  function move(from: number, to: number) {
    const rule = rules[from];
    if (!rule || to < 0 || to >= rules.length) return;
    const focused = document.activeElement;
    set((it) => it.toSpliced(from, 1).toSpliced(to, 0, rule));
    // An element that changes its place in the page loses the focus.
    requestAnimationFrame(() => {
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    });
  }
  const { list, grab, gap, dragged } = useDrag(rules.length, move);

  function add() {
    const rule: Rule = {
      id: uuid(),
      name: "",
      conditions: [{ property: "", op: "IsOneOf", value: "[]" }],
      serving: everybody(flag.onVariation),
    };
    setFresh(rule.id);
    set((it) => [...it, rule]);
  }

  function duplicate(rule: Rule, index: number) {
    const name = rule.name && t("flag.copyOf", { name: rule.name });
    const copy = { ...structuredClone(rule), id: uuid(), name };
    set((it) => it.toSpliced(index + 1, 0, copy));
  }

  return (
    <>
      {rules.length === 0 && <p className={classes.none}>{t("flag.noRules")}</p>}
      <ol className={classes.rules} ref={list} data-gap-last={gap === rules.length || undefined}>
        {rules.map((rule, index) => (
          <RuleSentence
            key={rule.id}
            gap={gap === index}
            dragged={dragged === index}
            place={place}
            flag={flag}
            rule={rule}
            before={server.rules.find((it) => it.id === rule.id)}
            number={index + 1}
            last={index === rules.length - 1}
            fresh={rule.id === fresh}
            grab={(event) => grab(index, event)}
            change={(next) => set((it) => it.map((old) => (old.id === next.id ? next : old)))}
            move={(by) => move(index, index + by)}
            duplicate={() => duplicate(rule, index)}
            remove={() => set((it) => it.filter((old) => old.id !== rule.id))}
          >
            <Decides
              audience={audience}
              users={audience?.rules.find((it) => it.rule === rule.id)?.users}
            />
            <RuleNotes rule={rule} rules={rules} server={server.rules} warnings={warnings} />
          </RuleSentence>
        ))}
      </ol>
      <Button small onClick={add}>
        {t("flag.addRule")}
      </Button>
    </>
  );
}
