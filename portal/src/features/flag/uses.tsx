import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { UsersPlace } from "@/lib/api/known";
import { segmentsQuery } from "@/lib/api/queries";
import { useFormat } from "@/lib/format";
import type { Rule } from "@/lib/model/flag";
import { IN_SEGMENT, NOT_IN_SEGMENT, listOf } from "@/lib/model/operators";
import { addressOf } from "@/lib/model/segment";
import classes from "./flag.module.css";
import { Section } from "./section";

/** The segments that rules name, each with the rules that do. */
function segmentsOf(rules: Rule[]): Map<string, number[]> {
  const named = new Map<string, number[]>();
  for (const [index, { conditions }] of rules.entries()) {
    const about = conditions.filter((it) => [IN_SEGMENT, NOT_IN_SEGMENT].includes(it.property));
    for (const id of new Set(about.flatMap((it) => listOf(it.value)))) {
      named.set(id, [...(named.get(id) ?? []), index]);
    }
  }
  return named;
}

/** What else decides what the flag does here: the segments of its rules; nothing where there are none. */
export function Uses({ place, rules }: { place: UsersPlace; rules: Rule[] }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const { organization, project, environment } = place;
  const named = segmentsOf(rules);
  const segments = useQuery({
    ...segmentsQuery(organization, project, environment),
    enabled: named.size > 0,
  });
  if (named.size === 0) return null;
  return (
    <Section title={t("flag.uses")} help={t("flag.usesHelp", { environment })}>
      <ul className={classes.uses}>
        {[...named].map(([id, by]) => {
          const segment = segments.data?.find((it) => it.id === id);
          const where = {
            organization: {},
            project: { project },
            environment: { project, environment },
          }[segment?.scope ?? "environment"];
          return (
            <li key={id}>
              {segment && where ? (
                <Link
                  to="/$organization/$project/segments/$place/$segment"
                  params={{
                    organization,
                    project,
                    place: addressOf(where),
                    segment: segment.key,
                  }}
                >
                  {segment.name} <code>{segment.key}</code>
                </Link>
              ) : (
                <code>{id}</code>
              )}
              <span className={classes.quiet}>
                {list(by.map((at) => rules[at]?.name || t("flag.ruleNumber", { number: at + 1 })))}
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
