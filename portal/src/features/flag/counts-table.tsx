import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import { bars, sum } from "@/lib/model/counts";
import { type Flag, labelOf } from "@/lib/model/flag";

/** What the bars say, for who does not see them: spans in which something happened. */
export function CountsTable({ flag, counts }: { flag: Flag; counts: Schemas["Counts"] }) {
  const { t } = useTranslation();
  const { number, moment } = useFormat();
  const ids = flag.variations.map((it) => it.id);
  const rows = bars(counts, ids).filter((it) => sum(it) > 0);
  return (
    <div className="hidden">
      <table>
        <caption>{t("flag.counts")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("flag.time")}</th>
            {flag.variations.map((it) => (
              <th key={it.id} scope="col">
                {labelOf(it)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.at}>
              <th scope="row">{moment(new Date(row.at).toISOString())}</th>
              {ids.map((id, place) => (
                <td key={id}>{number(row.counts[place] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
