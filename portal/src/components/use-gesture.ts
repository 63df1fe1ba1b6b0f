import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { permissionsQuery } from "@/lib/api/permissions";
import { apply, ask, asks, tryOut } from "@/lib/changes";
import { targetingCommands } from "@/lib/draft/commands";
import { withTargeting } from "@/lib/draft/draft";
import { changeDraft } from "@/lib/draft/store";
import { type Targeting, targetingIn, wholeFlag } from "@/lib/model/flag";
import { shareOf, withShare } from "@/lib/model/rollout";
import { useApplied } from "./applied";
import { useAsked } from "./asked";
import type { Gesture } from "./quick-gesture";

/** What a gesture would do, what it takes, and how it is done. */
export function useGesture(props: Gesture, detail: Schemas["FlagDetail"]) {
  const { t } = useTranslation();
  const { organization, project, environment, flag, close } = props;
  const whole = wholeFlag(project, detail);
  const now = targetingIn(whole, environment);
  const variation = whole.flag.onVariation;
  const served = shareOf(now.defaultRule, variation);
  const [typed, setTyped] = useState(String(Number(((props.share ?? served) * 100).toFixed(4))));
  const [words, setWords] = useState("");
  const share = Number(typed) / 100;
  const rolls = typed !== "" && share >= 0 && share <= 1 && share !== served;
  const ids = whole.flag.variations.map((it) => it.id);
  const edit = (it: Targeting): Targeting =>
    rolls
      ? { ...it, defaultRule: withShare(it.defaultRule, variation, share, ids) }
      : { ...it, on: !now.on };
  const next = edit(now);
  const commands = targetingCommands({ project, environment, flag }, now, next);
  const scope = `${project}/${environment}`;
  const base = { [scope]: whole.versions[scope] ?? 0 };
  // What it takes hardly changes while a percentage is typed: fields stay where they are.
  const trial = useQuery({
    ...tryOut(organization, { base, commands }),
    placeholderData: keepPreviousData,
  });
  const needed = asks(trial.data);
  const approvals = needed.approvals.length > 0;
  const overriding = {
    action: "change.override",
    resource: `project/${project}:env/${environment}`,
  };
  const may = useQuery({
    ...permissionsQuery(organization, [overriding]),
    enabled: approvals,
  }).data?.[0]?.allowed;
  const done = useApplied(organization);
  const queries = useQueryClient();

  const send = useMutation({
    mutationFn: async () => {
      // Enter may be quicker than the answer to what it would do.
      const tried = asks(await queries.fetchQuery(tryOut(organization, { base, commands })));
      if (tried.lacking.length > 0) return undefined;
      const said = words.trim();
      const asksApproval = tried.approvals.length > 0;
      if (said === "" && (asksApproval || tried.comment.length > 0)) {
        toReview();
        return undefined;
      }
      // In an emergency one text is enough: it is the reason, and the comment where one is asked for.
      const override = asksApproval ? { override: said } : {};
      const comment = tried.comment.length > 0 || asksApproval ? { comment: said } : {};
      return apply(organization, { base, commands, ...comment, ...override });
    },
    onSuccess: (result) => {
      if (result === undefined) return;
      close();
      done(result);
    },
  });

  const asked = useAsked(organization);
  const request = useMutation({
    mutationFn: () => {
      const title = t("flags.inEnvironment", { flag, environment });
      return ask(organization, { title, comment: words.trim(), base, commands });
    },
    onSuccess: (made) => {
      close();
      asked(made, t("quick.requested"));
    },
  });

  function toReview() {
    changeDraft((draft) => withTargeting(draft, whole, environment, edit));
    close();
  }

  return {
    whole,
    now,
    next,
    rolls,
    share,
    typed,
    setTyped,
    words,
    setWords,
    trial,
    ...needed,
    overriding,
    /** Whether it may go without the approvals that are missing; unknown while it is asked. */
    mayOverride: approvals ? may : undefined,
    send,
    /** Asks for it, with a text for those who have to agree. */
    request,
    toReview,
  };
}
