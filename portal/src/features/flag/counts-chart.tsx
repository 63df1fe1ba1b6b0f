import { useTranslation } from "react-i18next";
import { colourOf } from "@/components/variation";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import type { Flag } from "@/lib/model/flag";
import { type Bar, bars, sum } from "@/lib/model/counts";
import classes from "./counts.module.css";

const HEIGHT = 72;
const WIDTH = 720;

/** Bars of time, each with a part for each variation. The same stands in a table for who reads. */
export function CountsChart({ flag, counts }: { flag: Flag; counts: Schemas["Counts"] }) {
  const { t } = useTranslation();
  const { number, moment } = useFormat();
  const shown = bars(
    counts,
    flag.variations.map((it) => it.id),
  );
  const most = Math.max(1, ...shown.map(sum));
  const step = WIDTH / shown.length;
  const words = (bar: Bar) =>
    t("flag.countsAt", { at: moment(new Date(bar.at).toISOString()), number: number(sum(bar)) });
  return (
    <div className={classes.chart} aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className={classes.ground} />
        {shown.map((bar, index) => {
          let top = HEIGHT;
          return (
            <g key={bar.at}>
              {bar.counts.map((count, place) => {
                const height = (count / most) * (HEIGHT - 4);
                top -= height;
                return (
                  count > 0 && (
                    <rect
                      // oxlint-disable-next-line react/no-array-index-key -- variations by place
                      key={place}
                      x={index * step + step * 0.1}
                      y={top}
                      width={step * 0.8}
                      height={height}
                      fill={place < flag.variations.length ? colourOf(place) : "var(--border)"}
                    />
                  )
                );
              })}
              <rect x={index * step} y={0} width={step} height={HEIGHT} fill="transparent">
                <title>{words(bar)}</title>
              </rect>
            </g>
          );
        })}
      </svg>
      <span className={classes.most}>{number(most)}</span>
    </div>
  );
}
