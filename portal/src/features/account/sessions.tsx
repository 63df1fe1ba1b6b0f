import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { Failure, Waiting, Wrong } from "@/components/states";
import { api } from "@/lib/api/client";
import { sessionsQuery } from "@/lib/api/people";
import { toast } from "@/lib/toasts";
import classes from "./account.module.css";
import { agentOf } from "./agent";

/** Where one is signed in; what is not known there is ended. */
export function Sessions() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: async (ids: string[]) => {
      for (const id of ids) {
        const params = { path: { id } };
        await api("").DELETE("/api/v1/me/sessions/{id}", { params });
      }
    },
    onSuccess: (_, ids) => toast(t("account.ended", { count: ids.length })),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  if (sessions.isError) {
    return <Failure error={sessions.error} retry={() => void sessions.refetch()} />;
  }
  if (!sessions.data) return <Waiting rows={2} />;
  const others = sessions.data.filter((it) => !it.current).map((it) => it.id);
  return (
    <>
      <ul className={classes.sessions}>
        {sessions.data.map(({ id, agent, address, usedAt, current }) => {
          const { browser, system } = agentOf(agent);
          const name =
            browser && system
              ? t("account.browserOn", { browser, system })
              : (browser ?? (agent || t("account.unknown")));
          return (
            <li key={id}>
              <span>
                <strong title={agent}>{name}</strong>
                {current && <span className={classes.mark}>{t("account.thisOne")}</span>}
                <small>
                  {address} · {t("account.lastUsed")} <Ago at={usedAt} />
                </small>
              </span>
              {!current && (
                <Button
                  small
                  busy={end.isPending}
                  aria-label={t("account.endOne", { name })}
                  onClick={() => end.mutate([id])}
                >
                  {t("account.end")}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      <Wrong error={end.error} />
      {others.length > 0 && (
        <div className={classes.buttons}>
          <Button busy={end.isPending} onClick={() => end.mutate(others)}>
            {t("account.endOthers", { count: others.length })}
          </Button>
        </div>
      )}
    </>
  );
}
