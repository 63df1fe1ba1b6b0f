import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Chips } from "@/components/chips";
import { Empty, Failure, Waiting } from "@/components/states";
import { VirtualList } from "@/components/virtual-list";
import { scheduleQuery } from "@/lib/api/changes";
import type { Schemas } from "@/lib/api/client";
import { dayAfter, dayOf, monthAfter, zone } from "@/lib/moments";
import { useNow } from "@/lib/now";
import { Calendar } from "./calendar";
import classes from "./changes.module.css";
import { ChangesFrame } from "./frame";
import { StepRow } from "./step-row";

const ROUTE = "/$organization/changes/schedule";

/** From when to when steps are asked for, by days of the reader's own clock. */
export function spanOf(today: string, month: string | undefined): [from: string, to: string] {
  // Whatever a week begins with: six days more on either side are all that can be seen.
  const days = month && [dayAfter(`${month}-01`, -6), dayAfter(`${monthAfter(month, 1)}-01`, 6)];
  const from = days ? (days[0] ?? today) : dayAfter(today, -14);
  const last = days ? (days[1] ?? today) : dayAfter(today, 367);
  const begin = (day: string) => new Date(`${day}T00:00`).toISOString();
  return [begin(from), begin(dayAfter(last, 1))];
}

/** What is going to happen by itself, as a list or a month's page. */
export function SchedulePage() {
  const { t, i18n } = useTranslation();
  const { organization } = useParams({ from: ROUTE });
  const { month } = useSearch({ from: ROUTE });
  const today = dayOf(new Date(useNow()));
  const thisMonth = today.slice(0, 7);
  const schedule = useQuery(scheduleQuery(organization, ...spanOf(today, month)));
  const tab = (key: "list" | "calendar", search: { month?: string }) => (
    <Link to={ROUTE} params={{ organization }} search={search} activeOptions={{ exact: true }}>
      {t(`schedule.${key}`)}
    </Link>
  );
  return (
    <ChangesFrame wide={month !== undefined}>
      <Chips label={t("schedule.view")}>
        {tab("list", {})}
        {tab("calendar", { month: month ?? thisMonth })}
      </Chips>
      <p className={classes.zone}>{t("moment.zone", { zone: zone() })}</p>
      {schedule.isError ? (
        <Failure error={schedule.error} retry={() => void schedule.refetch()} />
      ) : !schedule.data ? (
        <Waiting />
      ) : month !== undefined ? (
        <Calendar
          key={month}
          organization={organization}
          month={month}
          language={i18n.language}
          steps={schedule.data}
          before={monthAfter(month, -1)}
          after={monthAfter(month, 1)}
        />
      ) : (
        <List organization={organization} steps={schedule.data} />
      )}
    </ChangesFrame>
  );
}

function List({
  organization,
  steps,
}: {
  organization: string;
  steps: Schemas["ScheduledView"][];
}) {
  const { t } = useTranslation();
  const coming = steps.filter((it) => it.state === "waiting");
  const stopped = steps.filter((it) => it.state === "stopped");
  const done = steps.filter((it) => it.state === "applied" || it.state === "withdrawn");
  const part = (key: "stopped" | "coming" | "done", of: Schemas["ScheduledView"][]) =>
    of.length > 0 && (
      <section className={classes.part} key={key}>
        <h2>{t(`schedule.${key}`)}</h2>
        <VirtualList
          label={t(`schedule.${key}`)}
          items={of}
          keyOf={(it) => `${it.request.id} ${it.step}`}
          estimate={64}
        >
          {(it) => <StepRow organization={organization} of={it} />}
        </VirtualList>
      </section>
    );
  if (steps.length === 0) {
    return (
      <Empty title={t("schedule.none")}>
        <p>{t("schedule.noneHelp")}</p>
      </Empty>
    );
  }
  return (
    <>
      {part("stopped", stopped)}
      {part("coming", coming)}
      {part("done", done.toReversed())}
    </>
  );
}
