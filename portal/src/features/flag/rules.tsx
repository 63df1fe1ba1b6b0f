import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { type Flag, type Rule, type Targeting, everybody } from "@/lib/model/flag";
import classes from "./flag.module.css";
import { RuleSentence } from "./rule";

interface Props {
  flag: Flag;
  targeting: Targeting;
  environment: string;
  edit: (change: (it: Targeting) => Targeting) => void;
}

/** The rules in the order in which they are tried. */
export function RuleList({ flag, targeting, environment, edit }: Props) {
  const { t } = useTranslation();
  const { rules } = targeting;
  const set = (change: (rules: Rule[]) => Rule[]) =>
    edit((it) => ({ ...it, rules: change(it.rules) }));

  function move(index: number, by: number) {
    const rule = rules[index];
    const to = index + by;
    if (!rule || to < 0 || to >= rules.length) return;
    set((it) => it.toSpliced(index, 1).toSpliced(to, 0, rule));
  }

  function add() {
    const rule: Rule = {
      id: crypto.randomUUID(),
      name: "",
      conditions: [{ property: "", op: "IsOneOf", value: "[]" }],
      serving: everybody(flag.onVariation),
    };
    set((it) => [...it, rule]);
  }

  return (
    <>
      <ol className={classes.rules}>
        {rules.map((rule, index) => (
          <RuleSentence
            key={rule.id}
            flag={flag}
            environment={environment}
            rule={rule}
            number={index + 1}
            last={index === rules.length - 1}
            change={(next) => set((it) => it.map((old) => (old.id === next.id ? next : old)))}
            remove={() => set((it) => it.filter((old) => old.id !== rule.id))}
            move={(by) => move(index, by)}
          />
        ))}
      </ol>
      <Button small onClick={add}>
        {t("flag.addRule")}
      </Button>
    </>
  );
}
