import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Refused } from "@/components/refused";
import { Empty, Waiting } from "@/components/states";
import { auditQuery, exportAudit, newestEntryQuery } from "@/lib/api/audit";
import { Refused as Refusal } from "@/lib/api/client";
import type { AuditFilter } from "@/lib/audit-filter";
import { said } from "@/lib/problems";
import { saveFile } from "@/lib/save-file";
import { useTitle } from "@/lib/title";
import { toast } from "@/lib/toasts";
import classes from "./audit.module.css";
import { Filters } from "./filters";
import { List } from "./list";

const Keeping = lazy(() => import("./keeping").then((it) => ({ default: it.Keeping })));

const READ = { action: "audit.read", resource: "organization" };

/** Everything that was done in the organization, and by whom. */
export function AuditPage() {
  const { t } = useTranslation();
  const { organization } = useParams({ from: "/$organization/audit" });
  const filter = useSearch({ from: "/$organization/audit" });
  const navigate = useNavigate({ from: "/$organization/audit" });
  const queries = useQueryClient();
  const [keeping, setKeeping] = useState(false);
  const log = useInfiniteQuery(auditQuery(organization, filter));
  const newest = useQuery(newestEntryQuery(organization, filter));
  const saving = useMutation({
    mutationFn: () => exportAudit(organization, filter),
    onSuccess: (file) => saveFile(`audit-${organization}.jsonl`, file),
    onError: (error) =>
      toast(error instanceof Refusal ? said(t, error).text : t("audit.exportCut")),
  });
  useTitle(t("audit.title"));
  const change = (next: AuditFilter) => void navigate({ search: next, replace: true });
  const filtered = Object.keys(filter).length > 0;
  const first = log.data?.pages[0]?.items[0]?.number ?? 0;
  const newer = log.data !== undefined && (newest.data ?? 0) > first;
  const refused = log.error instanceof Refusal && log.error.status === 403;
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1>{t("audit.title")}</h1>
        {!refused && (
          <>
            <Button busy={saving.isPending} onClick={() => saving.mutate()}>
              {t(filtered ? "audit.exportFiltered" : "audit.export")}
            </Button>
            <Button onClick={() => setKeeping(true)}>{t("audit.keeping")}</Button>
          </>
        )}
      </header>
      {!refused && <Filters organization={organization} filter={filter} change={change} />}
      <div role="status">
        {newer && (
          <p className={classes.newer}>
            {t("audit.newer")}
            <Button
              small
              onClick={() => void queries.resetQueries(auditQuery(organization, filter))}
            >
              {t("audit.showNewer")}
            </Button>
          </p>
        )}
      </div>
      {log.isError && !log.data && (
        <Refused error={log.error} retry={() => void log.refetch()} needs={READ} />
      )}
      {log.isPending && <Waiting rows={12} />}
      {log.data && first === 0 && (
        <Empty title={t("audit.none")}>
          {filtered && <Button onClick={() => change({})}>{t("audit.filter.clear")}</Button>}
        </Empty>
      )}
      {log.data && first > 0 && (
        <List
          key={JSON.stringify(filter)}
          organization={organization}
          data={log.data}
          more={log.hasNextPage}
          loading={log.isFetchingNextPage}
          load={() => void log.fetchNextPage()}
        />
      )}
      <Suspense>
        {keeping && <Keeping organization={organization} close={() => setKeeping(false)} />}
      </Suspense>
    </div>
  );
}
