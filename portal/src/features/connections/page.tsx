import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConnectionTable } from "@/components/connection-table";
import { Refused } from "@/components/refused";
import { Empty, Waiting } from "@/components/states";
import { type ConnectionFilter, connectionsQuery } from "@/lib/api/delivery";
import { environmentQuery } from "@/lib/api/environments";
import { newestOf } from "@/lib/delivery";
import { useFormat } from "@/lib/format";
import { placeOf } from "@/lib/place";
import { useTitle } from "@/lib/title";
import classes from "./connections.module.css";
import { Filter } from "./filter";
import { Hidden } from "./hidden";
import { Summary } from "./summary";

const ROUTE = "/$organization/$project/settings/environments/$environment/connections";

/** The SDKs that are connected to an environment, while one looks. */
export function ConnectionsPage() {
  const { t } = useTranslation();
  const { number } = useFormat();
  const place = useParams({ from: ROUTE });
  const { project, environment } = place;
  const filter = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  useTitle(t("connections.title"), environment);
  // How new the newest is, is asked for again: else it is as old as the form of the settings.
  const of = useQuery({ ...environmentQuery(place), staleTime: 0 });
  const found = useInfiniteQuery(connectionsQuery(place, filter));
  const resource = placeOf(project, of.data?.it ?? { key: environment, protected: false });
  if (found.isLoadingError) {
    const needs = { action: "environment.read", resource };
    return <Refused error={found.error} retry={() => void found.refetch()} needs={needs} />;
  }
  const [first] = found.data?.pages ?? [];
  if (!first || !of.data) return <Waiting rows={6} />;
  const items = found.data?.pages.flatMap((it) => it.items) ?? [];
  const all = first.nodes.reduce((sum, it) => sum + it.connections, 0);
  const here = first.nodes.find((it) => it.isThis);
  if (all === 0) {
    return (
      <Empty title={t("connections.none", { environment })}>
        <p>{t("connections.noneHelp")}</p>
        <Link to="/$organization/$project/connect" params={place}>
          {t("connections.connect")}
        </Link>
      </Empty>
    );
  }
  const change = (search: ConnectionFilter) => void navigate({ search, replace: true });
  return (
    <>
      <p className={classes.help}>{t("connections.help")}</p>
      <Summary nodes={first.nodes} />
      <Filter value={filter} change={change} />
      {first.nodes.length > 1 && here && (
        <p className={classes.ofNode}>
          {t("connections.ofNode", {
            node: here.name,
            count: here.connections,
            number: number(here.connections),
          })}
        </p>
      )}
      {items.length === 0 ? (
        <p className={classes.note} role="status">
          {t(filter.behind ? "connections.nobodyBehind" : "connections.nobodyLike")}
        </p>
      ) : (
        <>
          <ConnectionTable
            label={t("connections.title")}
            items={items}
            version={newestOf(of.data.it.version, items)}
          />
          <Hidden organization={place.organization} resource={resource} items={items} />
        </>
      )}
      {found.hasNextPage && (
        <Button
          className={classes.more}
          busy={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          {t("connections.more")}
        </Button>
      )}
    </>
  );
}
