import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { audienceQuery } from "@/lib/api/segments";
import { incompleteConditions } from "@/lib/draft/incomplete";
import { useFormat } from "@/lib/format";
import type { Segment } from "@/lib/model/segment";
import { useSettled } from "@/lib/settled";
import classes from "./segments.module.css";

interface Props {
  organization: string;
  project: string;
  environments: string[];
  of: Pick<Segment, "included" | "excluded" | "rules">;
}

/** How many known users it takes in, in each environment; and keys that nobody there has. */
export function Audience({ organization, project, environments, of }: Props) {
  const settled = useSettled(of);
  return (
    <ul className={classes.audience}>
      {environments.map((environment) => (
        <li key={environment}>
          <InEnvironment
            organization={organization}
            project={project}
            environment={environment}
            of={settled}
          />
        </li>
      ))}
    </ul>
  );
}

type One = Omit<Props, "environments"> & { environment: string };

function InEnvironment({ organization, project, environment, of }: One) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const writing = of.rules.some((it) => incompleteConditions(it.conditions) !== undefined);
  const answer = useQuery({
    ...audienceQuery(organization, project, environment, of),
    enabled: !writing,
    placeholderData: keepPreviousData,
  });
  const { data } = answer;
  if (answer.isError) return t("segments.audienceUnknown", { environment });
  if (!data) return t("segments.audienceCounting", { environment });
  if (data.users === 0) return t("segments.audienceNobody", { environment });
  const times = data.sampled ? data.sampled.of / Math.max(1, data.users) : 1;
  const members = Math.round(data.members * times);
  const unknown = data.unknownKeys ?? 0;
  return (
    <>
      {t(data.sampled ? "segments.audienceAbout" : "segments.audience", {
        environment,
        members: number(members),
        users: number(data.sampled?.of ?? data.users),
      })}{" "}
      {unknown > 0 && (
        <span className={classes.quiet}>
          {t("segments.unknownKeys", { count: unknown, number: number(unknown) })}
        </span>
      )}
    </>
  );
}
