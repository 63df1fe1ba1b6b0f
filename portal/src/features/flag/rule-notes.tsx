import { useTranslation } from "react-i18next";
import { same } from "@/lib/draft/commands";
import type { Rule } from "@/lib/model/flag";
import { never } from "@/lib/model/never";
import classes from "./rules.module.css";

interface Warning {
  code: string;
  pointer: string;
  message: string;
}

interface Props {
  rule: Rule;
  rules: Rule[];
  /** The rules as the server has them: its warnings are about those. */
  server: Rule[];
  warnings: Warning[];
}

/** What is known of a rule: that it decides nothing, and what programs make of it. */
export function RuleNotes({ rule, rules, server, warnings }: Props) {
  const { t } = useTranslation();
  const index = rules.indexOf(rule);
  const why = never(rule, rules.slice(0, index));
  const at = server.findIndex((it) => it.id === rule.id);
  const about =
    at >= 0 && same(server[at], rule)
      ? warnings.filter(
          (it) => it.pointer.startsWith(`/rules/${at}/`) || it.pointer === `/rules/${at}`,
        )
      : [];
  const codes = [...new Map(about.map((it) => [it.code, it])).values()];
  if (!why && codes.length === 0) return null;
  const numbered = (of: Rule) => of.name || t("flag.ruleNumber", { number: rules.indexOf(of) + 1 });
  return (
    <ul className={classes.notes}>
      {why?.code === "shadowed" && (
        <li data-never>{t("flag.never.shadowed", { rule: numbered(why.by) })}</li>
      )}
      {why?.code === "contradiction" && (
        <li data-never>{t("flag.never.contradiction", { property: why.property })}</li>
      )}
      {codes.map(({ code, message }) => (
        <li key={code}>
          {t(`warning.codes.${code}` as "warning.codes.uncovered", { defaultValue: message })}
        </li>
      ))}
    </ul>
  );
}
