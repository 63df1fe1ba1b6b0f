import { useQuery } from "@tanstack/react-query";
import { Navigate, useNavigate, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Empty, Failure, Waiting } from "@/components/states";
import { useHere } from "@/components/use-here";
import { flagComparisonQuery } from "@/lib/api/compare";
import { environmentsQuery, flagQuery } from "@/lib/api/queries";
import { useFormat } from "@/lib/format";
import { wholeFlag } from "@/lib/model/flag";
import { type Pair, presetPair, readPair, writtenPair } from "@/lib/pairs";
import { FACETS, differences } from "@/lib/sides";
import classes from "./compare.module.css";
import { FacetRows } from "./facet-rows";
import { Outcome } from "./outcome";
import { PairChoice } from "./pair-choice";
import { usePairSegments } from "./use-pair-segments";
import { useTaken, useTaking } from "./use-taking";

const ROUTE = "/$organization/$project/flags/$flag/compare/$pair";

/** A flag in two environments, side by side. */
export function FlagCompare() {
  const { organization, project, flag, pair: text } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const environments = useQuery(environmentsQuery(organization, project));
  const here = useHere();
  if (!environments.data) return <Waiting rows={4} />;
  const pair = readPair(text, environments.data);
  const params = { organization, project, flag };
  if (!pair) {
    const preset = presetPair(environments.data);
    const to = preset && { ...params, pair: writtenPair(preset) };
    if (!here) return <Waiting rows={4} />;
    return to && <Navigate to={ROUTE} params={to} replace />;
  }
  const change = (next: Pair) =>
    void navigate({ to: ROUTE, params: { ...params, pair: writtenPair(next) }, replace: true });
  return (
    <div className={classes.ofFlag}>
      <PairChoice environments={environments.data} pair={pair} change={change} />
      <Sides key={text} organization={organization} project={project} flag={flag} pair={pair} />
    </div>
  );
}

interface Props {
  organization: string;
  project: string;
  flag: string;
  pair: Pair;
}

function Sides({ organization, project, flag, pair }: Props) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const compared = useQuery(flagComparisonQuery(organization, project, pair, flag));
  const detail = useQuery(flagQuery(organization, project, flag));
  const segment = usePairSegments(project, pair);
  const taking = useTaking(organization, project);
  const taken = useTaken(project, pair.to);
  if (compared.isError) {
    return <Failure error={compared.error} retry={() => void compared.refetch()} />;
  }
  if (compared.isPending || !detail.data) return <Waiting rows={4} />;
  const item = compared.data;
  if (!item || !item.released.some(Boolean)) {
    return <Empty title={t("compare.nowhere", { ...pair })} />;
  }
  if (item.equal) return <Empty title={t("compare.sameFlag", { ...pair })} />;
  const rows = differences(item);
  const released = item.released[0] ?? false;
  const equal = item.released.every(Boolean) ? item.facets.filter((it) => it.equal) : [];
  const take = (facets = FACETS) => taking.mutate({ pair, flags: [flag], facets, segments: "map" });
  return (
    <>
      <FacetRows
        flag={flag}
        pair={pair}
        rows={rows}
        variations={wholeFlag(project, detail.data).flag.variations}
        segment={segment}
        released={released}
        taken={(facet) => taken(flag, facet)}
        take={(facet) => take([facet])}
      />
      {equal.length > 0 && (
        <p className={classes.quiet}>
          {t("compare.equal", { parts: list(equal.map((it) => t(`compare.facets.${it.facet}`))) })}
        </p>
      )}
      <Outcome taking={taking} />
      <div className={classes.buttons}>
        <Button
          look="primary"
          busy={taking.isPending}
          lacking={released ? undefined : t("compare.nothingToTake", { environment: pair.from })}
          onClick={() => take()}
        >
          {t("compare.takeAll", { ...pair })}
        </Button>
      </div>
    </>
  );
}
