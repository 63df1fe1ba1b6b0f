import { useTranslation } from "react-i18next";
import { counts } from "@/lib/draft/draft";
import { useFormat } from "@/lib/format";
import classes from "./review.module.css";
import { StillAsked } from "./still-asked";
import type { Review } from "./use-review";

/** `3 changes · prod 2, needs 1 of core · dev 1`. */
export function Summary({ review, failed }: { review: Review; failed: boolean }) {
  const { t } = useTranslation();
  const { list, moment } = useFormat();
  const { draft, needed, blocked, result } = review;
  const scopes = counts(draft);
  const places = scopes.map(([scope, changes]) => {
    const [project, environment] = scope.split("/");
    const of = needed.approvals.find((it) => `${it.project}/${it.environment}` === scope);
    const name = environment ?? t(project === "" ? "review.organization" : "review.everywhere");
    // Of one place, how many is said before it.
    const place = scopes.length > 1 ? t("review.place", { name, changes }) : name;
    if (!of) return place;
    const groups = of.reviewers.groups ?? [];
    return groups.length > 0
      ? t("review.placeNeedsOf", { place, count: of.missing, groups: list(groups) })
      : t("review.placeNeeds", { place, count: of.missing });
  });
  // A definition is served where no edit names it: that asks too.
  const elsewhere = needed.approvals
    .filter((it) => !scopes.some(([scope]) => scope === `${it.project}/${it.environment}`))
    .map((it) => t("review.alsoNeeds", { name: it.environment, count: it.missing }));
  const plan = draft.note?.plan;
  const first = plan?.steps[0]?.at;
  return (
    <span className={classes.summary}>
      <strong>{t("review.changes", { count: draft.commands.length })}</strong>
      <span>{[...places, ...elsewhere].join(" · ")}</span>
      {draft.revises && <span>{t("review.revisionOf", { title: draft.revises.title })}</span>}
      {first && (
        <span>
          {t("review.from", {
            moment: moment(new Date(first).toISOString()),
            count: plan.steps.length,
          })}
        </span>
      )}
      {blocked && <span className={classes.blocked}>{blocked}</span>}
      {failed && <span className={classes.wrong}>{t("review.notApplied")}</span>}
      {result && result.diff.length === 0 && (
        <span className={classes.blocked}>{t("review.noEffect")}</span>
      )}
      <StillAsked warnings={result?.warnings ?? []} />
    </span>
  );
}
