import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Letter } from "@/components/variation";
import { type Span, activityQuery, countsQuery } from "@/lib/api/flag";
import type { UsersPlace } from "@/lib/api/known";
import { useFormat } from "@/lib/format";
import { type Flag, labelOf } from "@/lib/model/flag";
import { CountsChart } from "./counts-chart";
import { CountsTable } from "./counts-table";
import classes from "./counts.module.css";

const SPANS: Span[] = ["hour", "day", "month"];

/** How often each variation was served of late. */
export function Counts({ place, flag }: { place: UsersPlace; flag: Flag }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const [span, setSpan] = useState<Span>("day");
  const { organization, project, environment } = place;
  const counts = useQuery(countsQuery(organization, project, environment, flag.key, span));
  const activity = useQuery(activityQuery(organization, project, environment));
  const last = activity.data?.flags[flag.key]?.lastEvaluatedAt;
  const totals = counts.data?.totals ?? {};
  const all = Object.values(totals).reduce((sum, it) => sum + it, 0);
  return (
    <div className={classes.counts}>
      <div className={classes.head}>
        <fieldset className={classes.spans}>
          <legend className="hidden">{t("flag.counts")}</legend>
          {SPANS.map((it) => (
            <label key={it}>
              <input
                type="radio"
                className="hidden"
                name={`span-${environment}`}
                checked={it === span}
                onChange={() => setSpan(it)}
              />
              {t(`flag.spans.${it}`)}
            </label>
          ))}
        </fieldset>
        <span className={classes.quiet}>
          {last ? (
            <>
              {t("flag.lastEvaluated")} <Ago at={last} />
            </>
          ) : (
            activity.data && t("flag.neverEvaluated", { environment })
          )}
        </span>
      </div>
      {counts.data && all === 0 && (
        <p className={classes.none}>
          {t("flag.noCounts", { environment })}{" "}
          {activity.data && !last && (
            <Link to="/$organization/$project/connect" params={{ organization, project }}>
              {t("flag.connect")}
            </Link>
          )}
        </p>
      )}
      {counts.data && all > 0 && (
        <>
          <CountsChart flag={flag} counts={counts.data} />
          <ul className={classes.totals}>
            {flag.variations.map((it, index) => (
              <li key={it.id}>
                <Letter place={index} />
                <span className={classes.cut}>{labelOf(it)}</span>
                <strong>{number(totals[it.id] ?? 0)}</strong>
              </li>
            ))}
          </ul>
          <CountsTable flag={flag} counts={counts.data} />
        </>
      )}
    </div>
  );
}
