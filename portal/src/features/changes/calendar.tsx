import { Link, useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { dayAfter, dayOf, firstDay, weeksOf } from "@/lib/moments";
import { useNow } from "@/lib/now";
import classes from "./calendar.module.css";
import { StepRow } from "./step-row";

const ROUTE = "/$organization/changes/schedule";

/** So many steps of a day are named. */
const NAMED = 3;

interface Props {
  organization: string;
  month: string;
  language: string;
  steps: Schemas["ScheduledView"][];
  before: string;
  after: string;
}

/** A month, day by day; arrows go from day to day, Page Up and Page Down from month to month. */
export function Calendar({ organization, month, language, steps, before, after }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const grid = useRef<HTMLTableElement>(null);
  const today = dayOf(new Date(useNow()));
  const weeks = weeksOf(month, firstDay(language));
  const [day, setDay] = useState(today.startsWith(month) ? today : `${month}-01`);
  const byDay = new Map<string, Schemas["ScheduledView"][]>();
  for (const it of steps) {
    const date = dayOf(new Date(it.at ?? ""));
    byDay.set(date, [...(byDay.get(date) ?? []), it]);
  }
  const named = new Intl.DateTimeFormat(language, { month: "long", year: "numeric" });
  const weekday = new Intl.DateTimeFormat(language, { weekday: "short" });
  const whole = new Intl.DateTimeFormat(language, { dateStyle: "full" });
  const clock = new Intl.DateTimeFormat(language, { timeStyle: "short" });
  const of = (date: string) => new Date(`${date}T12:00`);
  const go = (to: string) =>
    void navigate({ to: ROUTE, params: { organization }, search: { month: to } });

  function keys(event: KeyboardEvent) {
    const days = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
    if (event.key === "PageUp") go(before);
    else if (event.key === "PageDown") go(after);
    else if (days !== undefined) {
      const next = dayAfter(day, days);
      if (!weeks.flat().includes(next)) {
        go(days < 0 ? before : after);
      } else {
        setDay(next);
        grid.current?.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus();
      }
    } else return;
    event.preventDefault();
  }

  const link = (to: string, label: string, text: string) => (
    <Link to={ROUTE} params={{ organization }} search={{ month: to }} aria-label={label}>
      {text}
    </Link>
  );
  const chosen = byDay.get(day) ?? [];
  return (
    <>
      <div className={classes.head}>
        {link(before, t("schedule.before"), "‹")}
        <h2>{named.format(of(`${month}-01`))}</h2>
        {link(after, t("schedule.after"), "›")}
      </div>
      <table
        className={classes.month}
        role="grid"
        ref={grid}
        aria-label={named.format(of(`${month}-01`))}
      >
        <thead>
          <tr>
            {weeks[0]?.map((date) => (
              <th key={date} scope="col">
                {weekday.format(of(date))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={keys}>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((date) => {
                const there = byDay.get(date) ?? [];
                return (
                  <td
                    key={date}
                    data-day={date}
                    data-other={!date.startsWith(month) || undefined}
                    data-today={date === today || undefined}
                    aria-selected={date === day}
                    tabIndex={date === day ? 0 : -1}
                    onClick={() => setDay(date)}
                    onFocus={() => setDay(date)}
                  >
                    <span className="hidden">
                      {t("schedule.day", { day: whole.format(of(date)), count: there.length })}
                    </span>
                    <span className={classes.number} aria-hidden="true">
                      {Number(date.slice(8))}
                    </span>
                    {there.slice(0, NAMED).map((it) => (
                      <span
                        key={`${it.request.id} ${it.step}`}
                        className={classes.step}
                        data-state={it.state}
                      >
                        {it.at && clock.format(new Date(it.at))} {it.request.title}
                      </span>
                    ))}
                    {there.length > NAMED && (
                      <span className={classes.more}>
                        {t("schedule.more", { count: there.length - NAMED })}
                      </span>
                    )}
                    {there.length > 0 && (
                      <span className={classes.count} aria-hidden="true">
                        {there.length}
                      </span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <section className={classes.chosen} aria-live="polite">
        <h3>{whole.format(of(day))}</h3>
        {chosen.length === 0 && <p className={classes.more}>{t("schedule.nothingThen")}</p>}
        <ul>
          {chosen.map((it) => (
            <StepRow key={`${it.request.id} ${it.step}`} organization={organization} of={it} />
          ))}
        </ul>
      </section>
    </>
  );
}
