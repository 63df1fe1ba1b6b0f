import { useTranslation } from "react-i18next";
import { Table } from "@/components/table";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./audit.module.css";

type Facet = Schemas["ChangedPart"]["facet"];

/** What changed, as the API has it: each part as it was and as it is. */
export function BeforeAfter({ of, leftOut }: { of: Schemas["ItemChange"][]; leftOut: number }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  return (
    <>
      <Table
        label={t("audit.values")}
        heads={[t("audit.part"), t("audit.before"), t("audit.after")]}
      >
        {of.flatMap((item) =>
          item.parts.map((part) => (
            <tr key={`${item.scope} ${item.key} ${JSON.stringify(part.facet)}`}>
              <td className={classes.part}>
                <code>{[item.scope, item.key].filter(Boolean).join(" ")}</code>
                <br />
                {t(`audit.facets.${nameOf(part.facet)}`)}
              </td>
              <Value of={part.before} cut={part.cut} />
              <Value of={part.after} cut={part.cut} />
            </tr>
          )),
        )}
      </Table>
      {leftOut > 0 && (
        <p className={classes.quiet}>
          {t("audit.leftOut", { count: leftOut, number: number(leftOut) })}
        </p>
      )}
    </>
  );
}

function Value({ of, cut }: { of: unknown; cut: boolean }) {
  const { t } = useTranslation();
  const text = typeof of === "string" ? of : JSON.stringify(of, null, 1);
  return (
    <td className={classes.value}>
      {of == null && !cut && <span className={classes.quiet}>{t("audit.absent")}</span>}
      {of != null && <pre>{text}</pre>}
      {cut && <span className={classes.quiet}>{t("audit.cut")}</span>}
    </td>
  );
}

/** A facet's name; that of a rule or of targets comes with an id. */
function nameOf(facet: Facet) {
  if (typeof facet === "string") return facet;
  return "rule" in facet ? "rule" : "targets";
}
