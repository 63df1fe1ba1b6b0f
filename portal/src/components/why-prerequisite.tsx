import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { flagQuery } from "@/lib/api/queries";
import type { Verdict } from "@/lib/why";
import { Sentence } from "./sentence";
import { ReasonWords } from "./why-reason";
import { Gets } from "./why-gets";
import classes from "./why.module.css";

/** What another flag has to serve, what it serves, and why. */
export function WhyPrerequisite({ of }: { of: Schemas["PrerequisiteStep"] }) {
  const { t } = useTranslation();
  const { met, reason, broken } = of;
  const parts = { ...neededParts(of), reason: reason && <ReasonWords reason={reason} /> };
  const key = met == null ? "asks" : met ? "met" : "unmet";
  return (
    <div>
      <Sentence text={t(`why.needs.${reason || met == null ? key : "nobody"}`)} parts={parts} />
      {broken != null && (
        <div className={classes.broken}>
          {t(`warning.codes.${broken}` as "warning.codes.prerequisiteUnknown", {
            defaultValue: broken,
          })}
        </div>
      )}
    </div>
  );
}

/** The parts of sentences about what is needed. */
export function neededParts(needed: Verdict["needed"]) {
  if (!needed) return {};
  const { flag, name, variation, served } = needed;
  return {
    flag: <WhyLink flag={flag} name={name || flag} />,
    served: <NeededVariation flag={flag} variation={served ?? null} />,
    needed: <NeededVariation flag={flag} variation={variation} />,
  };
}

/** The flag that is needed; where somebody is asked about here, why they get that of it. */
function WhyLink({ flag, name }: { flag: string; name: string }) {
  const { organization = "", project = "", environment } = useParams({ strict: false });
  const { user } = useSearch({ strict: false }) as { user?: string };
  const params = { organization, project, flag };
  const text = <bdi className={classes.name}>{name}</bdi>;
  return environment === undefined ? (
    <Link to="/$organization/$project/flags/$flag" params={params}>
      {text}
    </Link>
  ) : (
    <Link
      to="/$organization/$project/flags/$flag/$environment/why"
      params={{ ...params, environment }}
      search={user === undefined ? {} : { user }}
    >
      {text}
    </Link>
  );
}

/** A variation of another flag; none where it serves nothing. */
export function NeededVariation({ flag, variation }: { flag: string; variation: string | null }) {
  const { t } = useTranslation();
  const { organization = "", project = "" } = useParams({ strict: false });
  const { data, isPending } = useQuery({
    ...flagQuery(organization, project, flag),
    retry: false,
  });
  if (isPending) return "…";
  const variations = (data?.variations ?? []).map((it) => ({ ...it, name: it.name ?? null }));
  const found = variations.find((it) => it.id === variation);
  if (variation !== null && !found) return t("diff.unknownVariation");
  return <Gets flag={{ variations }} variation={found} />;
}
