import { useQueries, useQuery } from "@tanstack/react-query";
import { type ReactNode, createContext, useContext, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Sentence } from "@/components/sentence";
import { changeQuery } from "@/lib/api/changes";
import type { Schemas } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";
import { aboutFlag, byAnother, newestChange } from "@/lib/live";
import { useNow } from "@/lib/now";
import classes from "./flag.module.css";
import { useFlag } from "./use-flag";

/** Who changed something here, and when. */
type Theirs = Pick<Schemas["ChangeView"], "actor" | "actorKind" | "at">;

/** Of so many changes it is said what they changed. */
const KEPT = 20;
const JUST_NOW_MS = 60_000;

const Marks = createContext<ReadonlyMap<string, Theirs>>(new Map());

/** What others changed while this page was open, for its parts. */
export function TheirMarks({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { organization, project, key } = useFlag();
  const me = useQuery(meQuery).data?.email;
  const [ids, setIds] = useState<string[]>([]);
  useEffect(
    () =>
      newestChange.subscribe(() => {
        const change = newestChange.get();
        if (!change || !aboutFlag(change, project, key) || !byAnother(change, me)) return;
        setIds((now) => [...now, change.id].slice(-KEPT));
      }),
    [project, key, me],
  );
  const changes = useQueries({ queries: ids.map((id) => changeQuery(organization, id)) });
  const marks = new Map<string, Theirs>();
  for (const { data } of changes) {
    for (const item of data?.changes ?? []) {
      const here = item.scope === project || item.scope.startsWith(`${project}/`);
      if (!data || item.kind !== "flag" || item.key !== key || !here) continue;
      for (const { facet } of item.parts) marks.set(`${item.scope} ${areaOf(facet)}`, data);
    }
  }
  const last = changes.at(-1)?.data;
  return (
    <Marks value={marks}>
      <p role="status" className="hidden">
        {last &&
          t("flag.theyChanged", {
            actor: t("history.by", { actor: last.actor, context: last.actorKind }),
            key,
          })}
      </p>
      {children}
    </Marks>
  );
}

function areaOf(facet: Schemas["Facet"]): string {
  if (typeof facet === "string") return facet === "ruleOrder" ? "rules" : facet;
  return "rule" in facet ? "rules" : "targets";
}

/** Who changed a part of the flag since the page was opened; in an environment, or of the flag. */
export function useTheirs(area: string, environment?: string): Theirs | undefined {
  const { project } = useFlag();
  const scope = environment === undefined ? project : `${project}/${environment}`;
  return useContext(Marks).get(`${scope} ${area}`);
}

/** Says who changed what is beside it. */
export function Mark({ of: { actor, actorKind, at } }: { of: Theirs }) {
  const { t } = useTranslation();
  const fresh = useNow() - Date.parse(at) < JUST_NOW_MS;
  return (
    <span className={classes.theirs}>
      <Sentence
        text={t("flag.changedBy", { context: fresh ? "now" : "" })}
        parts={{
          actor: <strong>{t("history.by", { actor, context: actorKind })}</strong>,
          when: <Ago at={at} />,
        }}
      />
    </span>
  );
}
