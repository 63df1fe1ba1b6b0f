import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EnvironmentName } from "@/components/environment";
import { ReasonWords } from "@/components/why-reason";
import { Gets } from "@/components/why-gets";
import type { Schemas } from "@/lib/api/client";
import { settingsQuery } from "@/lib/api/queries";
import { whyQuery } from "@/lib/api/why";
import { environmentsToShow } from "@/lib/pinned";
import { useFlag } from "./use-flag";
import type { Why } from "./use-why";
import classes from "./why.module.css";

interface Props {
  environment: string;
  user: Schemas["EvaluatedUser"];
  why: Why;
}

/** The same user in the other environments: what they get there, and by what. */
export function WhyEverywhere({ environment, user, why }: Props) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  const { organization, project, key: flag, environments, server } = useFlag();
  const settings = useQuery(settingsQuery(organization));
  const known = environments.data ?? [];
  const pinned = environmentsToShow(organization, project, known, settings.data);
  const others = known.filter((it) => it.key !== environment);
  const shown = all ? others : others.filter((it) => pinned.includes(it.key));
  // The same person: with what they have here, wherever they were seen.
  const { key, types } = user;
  const properties = { ...user.properties, name: user.name };
  const answers = useQueries({
    queries: shown.map((it) =>
      whyQuery(organization, project, it.key, flag, { key, properties, types }),
    ),
  });
  const left = others.length - shown.length;
  if (others.length === 0 || !server) return null;
  return (
    <section>
      <h3>{t("why.elsewhere")}</h3>
      <ul className={classes.places}>
        {shown.map((it, index) => {
          const answer = answers[index]?.data?.items[0];
          return (
            <li key={it.key}>
              <Link
                to="/$organization/$project/flags/$flag/$environment/why"
                params={{ organization, project, flag, environment: it.key }}
                search={why.search}
              >
                <EnvironmentName of={it} />
              </Link>
              <span className={classes.place}>
                {answer && (
                  <>
                    <Gets flag={server.flag} variation={answer.variation} />
                    <span className={classes.quiet}>
                      <ReasonWords reason={answer.reason} />
                    </span>
                  </>
                )}
                {answers[index]?.isError && (
                  <span className={classes.quiet}>{t("why.notKnown")}</span>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {left > 0 && (
        <Button small look="quiet" onClick={() => setAll(true)}>
          {t("why.others", { count: left })}
        </Button>
      )}
    </section>
  );
}
