import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { flagQuery } from "@/lib/api/queries";
import { apply, asks, tryOut } from "@/lib/changes";
import { targetingCommands } from "@/lib/draft/commands";
import { changeDraft } from "@/lib/draft/store";
import { withTargeting } from "@/lib/draft/draft";
import { useFormat } from "@/lib/format";
import { type Targeting, labelOf, targetingIn, wholeFlag } from "@/lib/model/flag";
import { only, shareOf, withShare } from "@/lib/model/rollout";
import { useApplied } from "./applied";
import { Button } from "./button";
import { Effects } from "./effects";
import { TextField } from "./field";
import { Lacking, Needs } from "./needs";
import classes from "./quick-edit.module.css";
import { Failure, Waiting, Wrong } from "./states";

interface Props {
  organization: string;
  project: string;
  environment: string;
  flag: string;
  close: () => void;
  /** What it shall be, where that was said; else the other of what it is. */
  want?: boolean;
}

/** One gesture in one environment: on or off, or a percentage; with its effect, before it is done. */
export function QuickEdit(props: Props) {
  const detail = useQuery(flagQuery(props.organization, props.project, props.flag));
  if (detail.isError) return <Failure error={detail.error} retry={() => void detail.refetch()} />;
  if (!detail.data) return <Waiting rows={3} />;
  return <Gesture {...props} detail={detail.data} />;
}

function Gesture(props: Props & { detail: Schemas["FlagDetail"] }) {
  const { organization, project, environment, flag, close, detail, want } = props;
  const { t } = useTranslation();
  const { share: percent } = useFormat();
  const whole = wholeFlag(project, detail);
  const now = targetingIn(whole, environment);
  const variation = whole.flag.onVariation;
  const served = shareOf(now.defaultRule, variation);
  const [typed, setTyped] = useState(String(served * 100));
  const [reason, setReason] = useState<string>();
  const asked = Number(typed) / 100;
  const rolls = typed !== "" && asked >= 0 && asked <= 1 && asked !== served;
  const ids = whole.flag.variations.map((it) => it.id);
  const edit = (it: Targeting): Targeting =>
    rolls
      ? { ...it, defaultRule: withShare(it.defaultRule, variation, asked, ids) }
      : { ...it, on: !now.on };
  const commands = targetingCommands({ project, environment, flag }, now, edit(now));
  const scope = `${project}/${environment}`;
  const base = { [scope]: whole.versions[scope] ?? 0 };
  const trial = useQuery(tryOut(organization, { base, commands }));
  const { comment, approvals, lacking } = asks(trial.data);
  const done = useApplied(organization);
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: async () => {
      // Enter may be quicker than the answer to what it would do.
      const tried = asks(await queries.fetchQuery(tryOut(organization, { base, commands })));
      if (tried.lacking.length > 0) return undefined;
      if (reason === undefined && (tried.comment.length > 0 || tried.approvals.length > 0)) {
        changeDraft((draft) => withTargeting(draft, whole, environment, edit));
        return "review" as const;
      }
      const override = reason === undefined ? {} : { override: reason };
      return apply(organization, { base, commands, ...override });
    },
    onSuccess: (result) => {
      if (result === undefined) return;
      close();
      if (result !== "review") done(result);
    },
  });
  const waits = comment.length > 0 || approvals.length > 0;
  const name = rolls
    ? t("quick.roll", { share: percent(asked), environment })
    : t(now.on ? "quick.turnOff" : "quick.turnOn", { environment });
  const missing = lacking[0];
  if (want === now.on && !rolls) {
    return <p>{t(now.on ? "quick.already.on" : "quick.already.off", { environment })}</p>;
  }
  const label = labelOf(whole.flag.variations.find((it) => it.id === variation));

  return (
    <form
      className={classes.quick}
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      {now.on && ids.length > 1 && (
        <TextField
          label={t("quick.share", { variation: label })}
          inputMode="decimal"
          value={typed}
          data-autofocus={only(now.defaultRule) === undefined || undefined}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setTyped(event.target.value.replace(",", "."))}
        />
      )}
      {trial.data?.effects && <Effects of={trial.data.effects} />}
      <Needs needs={trial.data?.needs ?? []} />
      <Lacking permissions={lacking} />
      <Wrong error={trial.error ?? send.error} />
      {reason !== undefined && (
        <TextField
          label={t("quick.reason")}
          required
          autoFocus
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      <div className={classes.buttons}>
        <Button
          type="submit"
          look={waits && reason === undefined ? "plain" : "primary"}
          busy={send.isPending}
          lacking={missing && t("needs.permission", missing)}
          data-autofocus={only(now.defaultRule) !== undefined || !now.on || undefined}
        >
          {waits && reason === undefined
            ? t("quick.toReview")
            : send.isPending
              ? t("quick.applying")
              : name}
        </Button>
        {approvals.length > 0 && reason === undefined && (
          <Button look="danger" onClick={() => setReason("")}>
            {t("quick.override")}
          </Button>
        )}
      </div>
    </form>
  );
}
