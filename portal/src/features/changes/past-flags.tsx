import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Failure, Waiting } from "@/components/states";
import { VirtualList } from "@/components/virtual-list";
import { pastStateQuery } from "@/lib/api/changes";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import { labelOf, serving } from "@/lib/model/flag";
import { merged } from "@/lib/model/rollout";
import classes from "./changes.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  version: number;
}

/** The flags of an environment as they were. */
export function PastFlags({ organization, project, environment, version }: Props) {
  const { t } = useTranslation();
  const state = useInfiniteQuery(pastStateQuery(organization, project, environment, version));
  const items = state.data?.pages.flatMap((it) => it.flags) ?? [];
  return (
    <section className={classes.part} aria-label={t("past.flags")}>
      <h2>{t("past.flags")}</h2>
      {state.isError ? (
        <Failure error={state.error} retry={() => void state.refetch()} />
      ) : !state.data ? (
        <Waiting />
      ) : (
        <>
          {items.length === 0 && <p className={classes.quiet}>{t("past.noFlags")}</p>}
          <VirtualList label={t("past.flags")} items={items} keyOf={(it) => it.id} estimate={52}>
            {(it) => <PastFlag organization={organization} project={project} flag={it} />}
          </VirtualList>
          {state.hasNextPage && (
            <Button busy={state.isFetchingNextPage} onClick={() => void state.fetchNextPage()}>
              {t("past.moreFlags")}
            </Button>
          )}
        </>
      )}
    </section>
  );
}

function PastFlag({
  organization,
  project,
  flag,
}: {
  organization: string;
  project: string;
  flag: Schemas["PastFlag"];
}) {
  const { t } = useTranslation();
  const { list, share } = useFormat();
  const name = (id: string) => {
    const found = flag.variations.find((it) => it.id === id);
    return labelOf(found && { ...found, name: found.name ?? null });
  };
  const shares = merged(serving(flag.defaultRule)).filter(([, size]) => size > 0);
  const parts = shares.map(([id, size]) =>
    shares.length === 1 ? name(id) : `${share(size)} ${name(id)}`,
  );
  const keys = flag.targets.reduce((sum, it) => sum + (it.keyIds?.length ?? 0), 0);
  const more = [
    flag.rules.length > 0 && t("past.rules", { count: flag.rules.length }),
    keys > 0 && t("past.targets", { count: keys }),
    flag.isArchived && t("flags.archived"),
  ].filter((it) => it !== false);
  return (
    <li className={classes.row}>
      <Link
        to="/$organization/$project/flags/$flag"
        params={{ organization, project, flag: flag.key }}
      >
        <strong>{flag.name}</strong>
        <code>{flag.key}</code>
      </Link>
      <span>
        {flag.isEnabled
          ? t("past.on", { serving: list(parts) })
          : t("past.off", { variation: name(flag.offVariation) })}
      </span>
      {more.length > 0 && <span className={classes.quiet}>{more.join(" · ")}</span>}
    </li>
  );
}
