import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Page } from "@/components/page";
import { Empty, Failure, Waiting } from "@/components/states";
import { Tabs } from "@/components/tabs";
import { useHere } from "@/components/use-here";
import { environmentsQuery } from "@/lib/api/queries";
import { presetPair, readPair, writtenPair } from "@/lib/pairs";
import { useTitle } from "@/lib/title";
import { ComparedFlags } from "./flags";
import { PairChoice } from "./pair-choice";
import { ComparedSegments } from "./segments";

const ROUTE = "/$organization/$project/compare/$pair";

/** Two environments side by side: only what differs, to be taken from one to the other. */
export function ComparePage() {
  const { t } = useTranslation();
  const { organization, project, pair: text } = useParams({ from: ROUTE });
  const { of } = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const environments = useQuery(environmentsQuery(organization, project));
  const here = useHere();
  useTitle(t("compare.title"), project);
  if (environments.isError) {
    return <Failure error={environments.error} retry={() => void environments.refetch()} />;
  }
  if (!environments.data) return <Waiting />;
  const pair = readPair(text, environments.data);
  const params = { organization, project };
  // Of environments that are not there: the usual pair.
  if (!pair) {
    if (!here) return <Waiting />;
    return <Navigate to="/$organization/$project/compare" params={params} replace />;
  }
  return (
    <Page title={t("compare.title")} wide>
      <PairChoice
        environments={environments.data}
        pair={pair}
        change={(next) =>
          void navigate({
            to: ROUTE,
            params: { ...params, pair: writtenPair(next) },
            search: of ? { of } : {},
            replace: true,
          })
        }
      />
      <Tabs label={t("compare.title")}>
        <Link
          to={ROUTE}
          params={{ ...params, pair: text }}
          search={{}}
          activeOptions={{ exact: true }}
        >
          {t("compare.flags")}
        </Link>
        <Link to={ROUTE} params={{ ...params, pair: text }} search={{ of: "segments" }}>
          {t("compare.segments")}
        </Link>
      </Tabs>
      {of === "segments" ? (
        <ComparedSegments organization={organization} project={project} pair={pair} />
      ) : (
        <ComparedFlags key={text} organization={organization} project={project} pair={pair} />
      )}
    </Page>
  );
}

/** Where an address names no pair: the one that is most likely meant. */
export function PresetPair() {
  const { t } = useTranslation();
  const { organization, project } = useParams({ from: "/$organization/$project/compare" });
  const environments = useQuery(environmentsQuery(organization, project));
  const here = useHere();
  if (environments.isError) {
    return <Failure error={environments.error} retry={() => void environments.refetch()} />;
  }
  if (!environments.data || !here) return <Waiting />;
  const pair = presetPair(environments.data);
  if (!pair) return <Empty title={t("compare.one")} />;
  const params = { organization, project, pair: writtenPair(pair) };
  return <Navigate to={ROUTE} params={params} replace />;
}
