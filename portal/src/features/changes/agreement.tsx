import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { reviewersQuery } from "@/lib/api/changes";
import { holdersQuery } from "@/lib/api/permissions";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./changes.module.css";

/** So many are named. */
const NAMED = 5;

interface Props {
  organization: string;
  request: Schemas["RequestDetail"];
}

/** Who has to agree, who did, and who still can. */
export function Agreement({ organization, request }: Props) {
  const { t } = useTranslation();
  const asked = request.needs.filter((it) => it.approvals > 0 || it.comment);
  if (asked.length === 0) return null;
  return (
    <section className={classes.part} aria-label={t("request.agreement")}>
      <h2>{t("request.agreement")}</h2>
      {asked.map((need) => (
        <Need
          key={`${need.project}/${need.environment}`}
          organization={organization}
          request={request}
          need={need}
        />
      ))}
    </section>
  );
}

function Need({ organization, request, need }: Props & { need: Schemas["EnvironmentNeeds"] }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const { environment, approvals, missing, approvedBy, declinedBy, reviewers } = need;
  const members = useQuery({ ...reviewersQuery(organization), enabled: missing > 0 });
  const named = (reviewers.members?.length ?? 0) + (reviewers.groups?.length ?? 0) > 0;
  const holders = useQuery({
    ...holdersQuery(organization, {
      action: "change.review",
      resource: `project/${need.project}:env/${environment}`,
    }),
    enabled: missing > 0 && !named,
  });
  const spent = new Set([
    ...request.revisions.map((it) => it.author),
    ...approvedBy,
    ...declinedBy,
  ]);
  const able = (members.data ?? []).filter(
    (it) =>
      !spent.has(it.email) &&
      (reviewers.members?.includes(it.id) ||
        it.groups.some((key) => reviewers.groups?.includes(key))),
  );
  // By their names alone, so who wrote it or has spoken is known only where members are.
  const silent = new Set(members.data?.filter((it) => spent.has(it.email)).map((it) => it.name));
  const anybody = members.data ? (holders.data?.holders.names ?? []) : [];
  const all = named
    ? able.map((it) => it.name || it.email)
    : anybody.filter((it) => !silent.has(it));
  const names = all.slice(0, NAMED);
  const more = all.length - names.length + (named ? 0 : (holders.data?.holders.more ?? 0));
  return (
    <div className={classes.need}>
      <p>
        {approvals > 0 && t("request.asks", { environment, count: approvals })}{" "}
        {approvedBy.length > 0 && t("request.approvedBy", { names: list(approvedBy) })}
      </p>
      {declinedBy.length > 0 && (
        <p className={classes.wrong}>{t("request.declinedBy", { names: list(declinedBy) })}</p>
      )}
      {missing > 0 && (
        <p>
          <strong>{t("request.missing", { count: missing })}</strong>{" "}
          {names.length > 0
            ? t("request.canGive", {
                names: list(more > 0 ? [...names, t("request.others", { count: more })] : names),
              })
            : !named
              ? t("request.anyReviewer", { environment })
              : (reviewers.groups?.length ?? 0) > 0 &&
                t("request.groupsCan", { groups: list(reviewers.groups ?? []) })}
        </p>
      )}
      {need.comment && request.comment.trim() === "" && (
        <p className={classes.warning}>{t("needs.comment", { environment })}</p>
      )}
    </div>
  );
}
