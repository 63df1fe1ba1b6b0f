import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { DiffLines } from "@/components/diff-lines";
import { theirsQuery } from "@/lib/api/changes";
import type { Schemas } from "@/lib/api/client";
import { flagQuery } from "@/lib/api/queries";
import { attended } from "@/lib/draft/attended";
import { colliding, fitted, keepMine, takeTheirs } from "@/lib/draft/conflict";
import type { Draft } from "@/lib/draft/draft";
import { changeDraft } from "@/lib/draft/store";
import { areaOf } from "@/lib/draft/facets";
import { wholeFlag } from "@/lib/model/flag";
import { addressOf } from "@/lib/model/segment";
import { stampOf } from "@/lib/stamp";
import { EditLine } from "./edit-line";
import classes from "./review.module.css";

interface Props {
  organization: string;
  draft: Draft;
  of: Schemas["Collision"];
  all: Schemas["Collision"][];
  close: () => void;
  resolved: () => void;
}

/** What another made of it, and what I would: keep mine, take theirs, or edit. */
export function Conflict({ organization, draft, of, all, close, resolved }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const params = useParams({ strict: false });
  const [project = "", environment] = of.scope.split("/");
  const place = environment ?? (project || t("review.organization"));
  const theirs = useQuery(theirsQuery(organization, of));
  const mine = colliding(draft, of);
  const [first] = mine;
  const areas = [...new Set(mine.map(areaOf))];

  /** The flag as they left it; nothing where it is gone, which is told when mine is applied. */
  async function there() {
    if (of.kind !== "flag") return undefined;
    const query = { ...flagQuery(organization, project, of.key), staleTime: 0 };
    const detail = await queries.fetchQuery(query).catch(() => undefined);
    return detail && wholeFlag(project, detail);
  }
  const keep = useMutation({
    mutationFn: there,
    onSuccess: (whole) => {
      changeDraft((now) => keepMine(whole ? fitted(now, whole) : now, of, all));
      resolved();
    },
  });
  async function edit() {
    // By then this conflict is no more, and neither is what is shown of it.
    await keep.mutateAsync();
    close();
    await navigate(whereOf());
    const { kind, key, scope, by } = of;
    const rule = ruleOf(first);
    const lines = theirs.data ?? [];
    attended.set({ kind, key, scope, areas, by, lines, ...(rule === undefined ? {} : { rule }) });
  }
  function whereOf() {
    // What all projects share is looked at from the one that one is in.
    const from = project || (params.project ?? "");
    if (of.kind === "segment") {
      const address = addressOf({ project: project || undefined, environment });
      const named = { organization, project: from, place: address, segment: of.key };
      return { to: "/$organization/$project/segments/$place/$segment", params: named } as const;
    }
    const named = { organization, project, flag: of.key };
    const here = environment ?? (params.flag === of.key ? params.environment : undefined);
    return here === undefined
      ? ({ to: "/$organization/$project/flags/$flag", params: named } as const)
      : ({
          to: "/$organization/$project/flags/$flag/$environment",
          params: { ...named, environment: here },
        } as const);
  }
  const editable = areas[0] !== "life" && (of.kind === "flag" || project !== "" || params.project);

  return (
    <div className={classes.conflict}>
      <p>
        {t("conflict.changed", { by: of.by, flag: of.key, place })} <Ago at={of.at} />
        {of.comment && `: ${of.comment}`}{" "}
        {environment !== undefined && (
          <Link
            to="/$organization/$project/history/$environment/$version"
            params={{ organization, project, environment, version: String(of.version) }}
          >
            {t("conflict.show")}
          </Link>
        )}
      </p>
      {theirs.data && theirs.data.length > 0 && (
        <div>
          {t("conflict.theirs", { by: of.by })}
          <DiffLines lines={theirs.data} />
        </div>
      )}
      <div>
        {t("conflict.yours")}
        <ul>
          {mine.map((it) => (
            <li key={stampOf(it)}>
              <EditLine organization={organization} edit={it} />
            </li>
          ))}
        </ul>
      </div>
      <div className={classes.buttons}>
        <Button small busy={keep.isPending} onClick={() => keep.mutate()}>
          {t("conflict.keep")}
        </Button>
        <Button
          small
          onClick={() => {
            changeDraft((now) => takeTheirs(now, of, all));
            resolved();
          }}
        >
          {t("conflict.take", { by: of.by })}
        </Button>
        {editable && (
          <Button small busy={keep.isPending} onClick={() => void edit()}>
            {t("conflict.edit")}
          </Button>
        )}
      </div>
    </div>
  );
}

function ruleOf(edit: Draft["commands"][number] | undefined): string | undefined {
  if (edit?.kind === "addRule" || edit?.kind === "updateRule") return edit.rule.id ?? undefined;
  return edit?.kind === "moveRule" ? edit.rule : undefined;
}
