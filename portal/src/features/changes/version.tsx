import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { ActLine } from "@/components/act-line";
import { ChangeEntry } from "@/components/change-entry";
import { Delivery } from "@/components/delivery/delivery";
import { Page } from "@/components/page";
import { RevertEnvironment } from "@/components/revert-environment";
import { Failure, Waiting } from "@/components/states";
import { changeQuery, versionsQuery } from "@/lib/api/changes";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import { useTitle } from "@/lib/title";
import classes from "./changes.module.css";
import { Moved } from "./moved";
import { PastFlags } from "./past-flags";

const ROUTE = "/$organization/$project/history/$environment/$version";

/** An environment at one of its versions: what made it, and what it served then. */
export function VersionPage() {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { organization, project, environment, version } = useParams({ from: ROUTE });
  const { with: chosen } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const wanted = Number(version);
  const title = t("past.versionOf", { environment, version: number(wanted) });
  useTitle(title, project);
  const versions = useInfiniteQuery(versionsQuery(organization, project, environment));
  const known = versions.data?.pages.flatMap((it) => it.items) ?? [];
  const found = known.find((it) => it.version === wanted);
  const newest = known[0]?.version ?? wanted;
  // Older ones are on later pages.
  const further = !found && known.length > 0 && versions.hasNextPage && wanted < newest;
  const { fetchNextPage, isFetching } = versions;
  useEffect(() => {
    if (further && !isFetching) void fetchNextPage();
  }, [further, isFetching, fetchNextPage]);
  const place = { organization, project, environment };
  // The one before, or of the first one what is there now.
  const other = chosen ?? (wanted > 1 ? wanted - 1 : newest);
  const choose = (it: number) => void navigate({ search: { with: it }, replace: true });
  const trail = (
    <Link to="/$organization/$project/history/$environment" params={place}>
      {t("past.versionsOf", { environment })}
    </Link>
  );
  const step = (to: number, label: string) => (
    <Link to={ROUTE} params={{ ...place, version: String(to) }}>
      {label}
    </Link>
  );
  return (
    <Page
      title={title}
      trail={trail}
      actions={wanted < newest && <RevertEnvironment {...place} version={wanted} />}
    >
      <p className={classes.meta}>
        {wanted > 1 && step(wanted - 1, t("past.before"))}
        {wanted < newest && step(wanted + 1, t("past.after"))}
        {wanted < newest && step(newest, t("past.newest", { version: number(newest) }))}
      </p>
      {found && <Made organization={organization} of={found} />}
      {known.length > 0 && other !== wanted && (
        <Moved {...place} version={wanted} other={other} known={known} choose={choose} />
      )}
      <PastFlags {...place} version={wanted} />
    </Page>
  );
}

/** The change that made it, as far as it is about this. */
function Made({ organization, of }: { organization: string; of: Schemas["VersionView"] }) {
  const change = useQuery(changeQuery(organization, of.change));
  if (change.isError) {
    return <Failure error={change.error} retry={() => void change.refetch()} />;
  }
  if (!change.data) return <Waiting rows={2} />;
  return (
    <>
      <ol>
        <ChangeEntry organization={organization} change={change.data} line={ActLine} />
      </ol>
      <Delivery key={of.change} organization={organization} change={change.data} />
    </>
  );
}
