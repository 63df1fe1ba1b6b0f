import { useTranslation } from "react-i18next";
import { DiffLines } from "@/components/diff-lines";
import { Needs } from "@/components/needs";
import { Warnings } from "@/components/warnings";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./files.module.css";

const RESULTS = ["created", "updated", "restored", "archived", "unchanged"] as const;

/** What a file would do. */
export function Plan({ of: { items, diff, warnings, changeSets } }: { of: Schemas["FileResult"] }) {
  const { t } = useTranslation();
  const { list, number } = useFormat();
  const counted = RESULTS.flatMap((result) => {
    const count = items.filter((it) => it.result === result).length;
    return count === 0 ? [] : [t(`files.results.${result}`, { count, number: number(count) })];
  });
  const environments = items.filter((it) => it.kind === "environment" && it.result !== "unchanged");
  const needs = changeSets.flatMap((it) => it.needs);
  const each = needs.filter(
    (it, index) => needs.findIndex((other) => other.environment === it.environment) === index,
  );
  return (
    <div className={classes.plan} role="status">
      <h3>{counted.length > 0 ? list(counted) : t("files.nothing")}</h3>
      {environments.length > 0 && (
        <p>{t("files.environments", { keys: list(environments.map((it) => it.key)) })}</p>
      )}
      <DiffLines lines={diff} />
      <Warnings of={warnings} />
      <Needs needs={each} />
    </div>
  );
}
