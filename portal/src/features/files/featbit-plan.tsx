import { useTranslation } from "react-i18next";
import { DiffLines } from "@/components/diff-lines";
import { Needs } from "@/components/needs";
import { Table } from "@/components/table";
import type { Schemas } from "@/lib/api/client";
import classes from "./files.module.css";

interface Item {
  kind: "flag" | "segment";
  name: string;
  result: "created" | "updated" | "unchanged" | "refused";
  reason?: string;
  warnings: (string | { message: string })[];
}

/** What would become of FeatBit's flags and segments, one by one. */
export function FeatbitPlan({ of: { items, diff, needs } }: { of: Schemas["FeatbitResult"] }) {
  const { t } = useTranslation();
  return (
    <div className={classes.plan} role="status">
      <Table
        label={t("files.items")}
        heads={[t("files.item"), t("files.result"), t("files.remark")]}
      >
        {(items as unknown as Item[]).map(({ kind, name, result, reason, warnings }) => (
          <tr key={`${kind} ${name}`}>
            <td>
              {t(`files.kinds.${kind}`)} <code>{name}</code>
            </td>
            <td data-refused={result === "refused" || undefined}>{t(`files.one.${result}`)}</td>
            <td>
              {reason}
              {warnings.map((it) => {
                const text = typeof it === "string" ? it : it.message;
                return <div key={text}>{text}</div>;
              })}
            </td>
          </tr>
        ))}
      </Table>
      <DiffLines lines={diff} />
      <Needs needs={needs} />
    </div>
  );
}
