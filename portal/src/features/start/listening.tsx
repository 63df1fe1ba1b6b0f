import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { useApplied } from "@/components/applied";
import { EnvironmentName } from "@/components/environment";
import { Sentence } from "@/components/sentence";
import { Waiting, Wrong } from "@/components/states";
import { Switch } from "@/components/switch";
import type { Schemas } from "@/lib/api/client";
import { LISTEN_MS, keysQuery, servedQuery } from "@/lib/api/connect";
import { flagQuery } from "@/lib/api/queries";
import { apply } from "@/lib/changes";
import { useFormat } from "@/lib/format";
import { FIRST_FLAG } from "./first-flag";
import classes from "./start.module.css";

interface Props {
  organization: string;
  project: string;
  environment: Schemas["EnvironmentView"];
}

/** What is heard of the program, as it is heard; and then the switch. */
export function Listening(props: Props) {
  const { organization, project, environment } = props;
  const { t } = useTranslation();
  const { list, number } = useFormat();
  const keys = useQuery({
    ...keysQuery(organization, project, environment.key),
    refetchInterval: LISTEN_MS,
  });
  const flag = useQuery(flagQuery(organization, project, FIRST_FLAG));
  const served = useQuery(servedQuery(organization, project, environment.key, FIRST_FLAG));
  const used = (keys.data ?? [])
    .filter((it) => it.lastUsedAt != null)
    .toSorted((a, b) => (a.lastUsedAt ?? "").localeCompare(b.lastUsedAt ?? ""))
    .at(-1);
  const counts = Object.entries(served.data?.totals ?? {});
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const value = (id: string) => flag.data?.variations.find((it) => it.id === id)?.value ?? id;
  const name = <EnvironmentName of={environment} />;
  return (
    <li>
      <h2>{t("start.watch")}</h2>
      <ul className={classes.heard} aria-live="polite">
        <li data-heard={used !== undefined || undefined}>
          {used?.lastUsedAt ? (
            <Sentence
              text={t("start.connected")}
              parts={{
                environment: name,
                key: <code>{used.name}</code>,
                ago: <Ago at={used.lastUsedAt} />,
              }}
            />
          ) : (
            <Sentence text={t("start.listening")} parts={{ environment: name }} />
          )}
        </li>
        {used && (
          <li data-heard={total > 0 || undefined}>
            {total > 0
              ? t("start.evaluated", {
                  flag: FIRST_FLAG,
                  count: total,
                  times: number(total),
                  values: list(counts.map(([id, count]) => `${value(id)} ${number(count)}`)),
                })
              : t("start.notYet", { flag: FIRST_FLAG })}
          </li>
        )}
      </ul>
      {total > 0 && <Try {...props} flag={flag.data} />}
    </li>
  );
}

/** The switch, by which one sees the program change. */
function Try({
  organization,
  project,
  environment,
  flag,
}: Props & { flag: Schemas["FlagDetail"] | undefined }) {
  const { t } = useTranslation();
  const applied = useApplied(organization);
  const on = flag?.environments[environment.key]?.isEnabled === true;
  const scope = `${project}/${environment.key}`;
  const turn = useMutation({
    mutationFn: () =>
      apply(organization, {
        base: { [scope]: flag?.versions[scope] ?? 0 },
        commands: [
          {
            kind: on ? "turnOff" : "turnOn",
            project,
            environment: environment.key,
            flag: FIRST_FLAG,
          },
        ],
      }),
    onSuccess: applied,
  });
  if (!flag) return <Waiting rows={1} />;
  const params = { organization, project, flag: FIRST_FLAG, environment: environment.key };
  return (
    <div className={classes.try}>
      <Switch
        on={on}
        label={t("flags.inEnvironment", { flag: FIRST_FLAG, environment: environment.key })}
        text={turn.isPending ? t("quick.applying") : t(on ? "flags.on" : "flags.off")}
        aria-busy={turn.isPending || undefined}
        onClick={() => {
          if (!turn.isPending) turn.mutate();
        }}
      />
      <p>{t(on ? "start.nowOn" : "start.nowOff")}</p>
      <Wrong error={turn.error} />
      <p className={classes.next}>
        <Link to="/$organization/$project/flags/$flag/$environment" params={params}>
          {t("start.openFlag", { flag: FIRST_FLAG })}
        </Link>
        <Link
          to="/$organization/$project/flags"
          params={{ organization, project }}
          search={{ create: true }}
        >
          {t("start.ownFlag")}
        </Link>
      </p>
    </div>
  );
}
