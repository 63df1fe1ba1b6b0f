import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Option } from "@/components/options";
import { knownPropertiesQuery } from "@/lib/api/flag";
import { propertiesQuery } from "@/lib/api/queries";
import { useFormat } from "@/lib/format";
import type { Condition } from "@/lib/model/flag";
import { converted, suggested, takes } from "@/lib/model/operators";
import type { UsersPlace } from "@/lib/api/known";

interface Offered {
  value: string;
  description?: string | undefined;
  users?: number;
}

/** The properties that users really have, and those that the project knows of. */
export function useProperties({ organization, project, environment }: UsersPlace) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const seen = useQuery(propertiesQuery(organization, project, environment)).data?.items ?? [];
  const known = useQuery(knownPropertiesQuery(organization, project)).data ?? [];
  const seenNames = new Set(seen.map((it) => it.name));

  const options: Option[] = [
    ...seen.map((it) => ({
      value: it.name,
      detail: t("rule.users", { count: it.users, users: number(it.users) }),
    })),
    { value: "keyId", label: "keyId", detail: t("rule.userKey") },
    { value: "name", detail: t("rule.userName") },
    ...known
      .filter((it) => !it.builtIn && !seenNames.has(it.name))
      .map((it) => ({ value: it.name, detail: it.description || t("rule.neverSent") })),
  ].filter((it, index, all) => all.findIndex((other) => other.value === it.value) === index);

  /** Presets first, then what was sent, the most frequent first. */
  function valuesOf(property: string): Offered[] {
    const sent = seen.find((it) => it.name === property);
    const said = sent?.known ?? known.find((it) => it.name === property);
    const presets = said?.presets ?? [];
    const preset = new Set(presets.map((it) => it.value));
    const others = said?.presetsOnly ? [] : (sent?.values ?? []);
    return [
      ...presets.map((it) => ({ value: it.value, description: it.description })),
      ...others.filter((it) => !preset.has(it.value)),
    ];
  }

  /** A condition about another property. Its operator follows what is sent, until a value stands. */
  function named(condition: Condition, property: string): Condition {
    const fresh = ["", "[]", null].includes(condition.value);
    const offered = valuesOf(property);
    if (!fresh || offered.length === 0) return { ...condition, property };
    const presets = offered.some((it) => it.users === undefined);
    const op = presets ? "IsOneOf" : suggested(offered.map((it) => it.value));
    return { property, op, value: converted("", "text", takes(op)) };
  }

  return { options, valuesOf, named };
}
