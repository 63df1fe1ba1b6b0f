import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import { Page } from "@/components/page";
import { Sentence } from "@/components/sentence";
import { Failure, Waiting, Wrong } from "@/components/states";
import { environmentsQuery, flagQuery } from "@/lib/api/queries";
import { keepLocally, keptLocally } from "@/lib/theme";
import { useTitle } from "@/lib/title";
import { FIRST_FLAG, firstEnvironment, prepare } from "./first-flag";
import { Listening } from "./listening";
import type { Program } from "./program";
import { PROGRAMS } from "./programs";
import { ProgramText } from "./program-text";
import classes from "./start.module.css";

interface Props {
  organization: string;
  project: string;
  /** Where one goes without a program. */
  actions?: ReactNode;
}

const KEPT = "burgee-program";

/** From nothing to a flag that is seen in one's own program: language, program, and a switch. */
export function SetUp({ organization, project, actions }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const environments = useQuery(environmentsQuery(organization, project));
  const first = environments.data && firstEnvironment(environments.data);
  const kept = `${KEPT}:${organization}/${project}`;
  const [chosen, setChosen] = useState(() => PROGRAMS.find((it) => it.id === keptLocally(kept)));
  // What was chosen another time holds as long as what it made is there.
  const flag = useQuery({
    ...flagQuery(organization, project, FIRST_FLAG),
    enabled: chosen !== undefined,
    retry: false,
  });
  useTitle(t("start.title"), project);
  const choose = useMutation({
    mutationFn: (it: Program) =>
      prepare(queries, { organization, project }, first?.key, it).then(() => it),
    onSuccess: (it) => {
      setChosen(it);
      keepLocally(kept, it.id);
    },
  });

  if (environments.isError) {
    return <Failure error={environments.error} retry={() => void environments.refetch()} />;
  }
  if (!environments.data) return <Waiting />;
  const busy = choose.isPending ? choose.variables.id : undefined;
  return (
    <Page title={t("start.title")} help={t("start.help")} actions={actions}>
      <ol className={classes.steps}>
        <li>
          <h2>{t("start.language")}</h2>
          <p className={classes.help}>
            <Sentence
              text={t(first ? "start.makes" : "start.makesEnvironment")}
              parts={{
                flag: <code>{FIRST_FLAG}</code>,
                environment: first ? <EnvironmentName of={first} /> : <code>dev</code>,
              }}
            />
          </p>
          <div className={classes.tiles}>
            {PROGRAMS.map((it) => (
              <button
                key={it.id}
                type="button"
                aria-pressed={flag.data !== undefined && chosen?.id === it.id}
                aria-busy={busy === it.id || undefined}
                className={classes.tile}
                onClick={() => {
                  if (!choose.isPending) choose.mutate(it);
                }}
              >
                {it.name}
              </button>
            ))}
          </div>
          <Wrong error={choose.error} />
        </li>
        {chosen && first && flag.data ? (
          <>
            <ProgramText {...{ organization, project, program: chosen }} environment={first} />
            <Listening {...{ organization, project }} environment={first} />
          </>
        ) : (
          <>
            <li data-later>
              <h2>{t("start.run")}</h2>
            </li>
            <li data-later>
              <h2>{t("start.watch")}</h2>
            </li>
          </>
        )}
      </ol>
    </Page>
  );
}
