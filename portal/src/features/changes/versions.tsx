import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { Page } from "@/components/page";
import { Empty, Failure, Waiting } from "@/components/states";
import { VirtualList } from "@/components/virtual-list";
import { versionsQuery } from "@/lib/api/changes";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import { useTitle } from "@/lib/title";
import classes from "./changes.module.css";

const ROUTE = "/$organization/$project/history/$environment";

/** The versions of an environment: who made each, when, and what it moved. */
export function VersionsPage() {
  const { t } = useTranslation();
  const { organization, project, environment } = useParams({ from: ROUTE });
  const title = t("past.versionsOf", { environment });
  useTitle(title, project);
  const versions = useInfiniteQuery(versionsQuery(organization, project, environment));
  const items = versions.data?.pages.flatMap((it) => it.items) ?? [];
  const trail = (
    <Link
      to="/$organization/changes/history"
      params={{ organization }}
      search={{ project, environment }}
    >
      {t("changes.history")}
    </Link>
  );
  return (
    <Page title={title} trail={trail} help={t("past.versionsHelp")}>
      {versions.isError ? (
        <Failure error={versions.error} retry={() => void versions.refetch()} />
      ) : !versions.data ? (
        <Waiting />
      ) : (
        <>
          {items.length === 0 && <Empty title={t("history.none")} />}
          <VirtualList label={title} items={items} keyOf={(it) => String(it.version)} estimate={56}>
            {(it) => <VersionRow version={it} />}
          </VirtualList>
          {versions.hasNextPage && (
            <Button
              busy={versions.isFetchingNextPage}
              onClick={() => void versions.fetchNextPage()}
            >
              {t("history.more")}
            </Button>
          )}
        </>
      )}
    </Page>
  );
}

/** So many items are named. */
const NAMED = 5;

function VersionRow({ version }: { version: Schemas["VersionView"] }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const params = useParams({ from: ROUTE });
  const named = [...new Set(version.items.map((it) => it.key))].slice(0, NAMED);
  const more = version.itemCount - named.length;
  return (
    <li className={classes.row}>
      <Link
        to="/$organization/$project/history/$environment/$version"
        params={{ ...params, version: String(version.version) }}
      >
        <strong>{t("past.version", { version: number(version.version) })}</strong>
        <span className={classes.quiet}>
          {t("history.by", { actor: version.actor, context: version.actorKind })} ·{" "}
          <Ago at={version.at} />
          {version.comment && ` · ${version.comment}`}
        </span>
        <span>
          <code>{named.join(", ")}</code>
          {more > 0 && ` ${t("past.andMore", { count: more })}`}
        </span>
      </Link>
    </li>
  );
}
