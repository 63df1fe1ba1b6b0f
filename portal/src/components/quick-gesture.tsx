import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import { labelOf } from "@/lib/model/flag";
import { only } from "@/lib/model/rollout";
import { Button } from "./button";
import { CopyButton } from "./copy";
import { Effects } from "./effects";
import { TextField } from "./field";
import { Gets } from "./gets";
import { LastHour } from "./last-hour";
import { Lacking, Needs } from "./needs";
import classes from "./quick-edit.module.css";
import { Wrong } from "./states";
import { useGesture } from "./use-gesture";

export interface Gesture {
  organization: string;
  project: string;
  environment: string;
  flag: string;
  close: () => void;
  /** What it shall be, where that was said; else the other of what it is. */
  want?: boolean;
  /** The share that was said. */
  share?: number;
}

/** The form of a gesture: what it does to whom, what it takes, and the button that does it. */
export function QuickGesture(props: Gesture & { detail: Schemas["FlagDetail"] }) {
  const { organization, project, environment, flag, detail, want } = props;
  const { t } = useTranslation();
  const { share: percent } = useFormat();
  const gesture = useGesture(props, detail);
  const { whole, now, rolls, trial, approvals, comment, lacking, mayOverride, send } = gesture;
  const { flag: definition } = whole;
  const form = useRef<HTMLFormElement>(null);
  // It comes after what it is in, which has looked for where the focus goes already.
  useEffect(() => {
    // On a phone the keyboard that comes up would cover the button.
    if (matchMedia("(max-width: 600px)").matches) return;
    requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus(),
    );
  }, []);
  const effects = trial.isPlaceholderData ? undefined : trial.data?.effects;
  const known = effects?.some((it) => it.users > 0) ?? false;
  const missing = lacking[0];
  if (want === now.on && !rolls) {
    return <p>{t(now.on ? "quick.already.on" : "quick.already.off", { environment })}</p>;
  }
  const label = labelOf(definition.variations.find((it) => it.id === definition.onVariation));
  const waits = approvals.length > 0;
  const direct = !waits || mayOverride === true;
  const context = direct ? (waits ? "override" : "") : "request";
  const name = rolls
    ? t("quick.roll", { share: percent(gesture.share), environment, context })
    : t(now.on ? "quick.turnOff" : "quick.turnOn", { environment, context });
  const asksWords = !missing && (waits ? mayOverride !== undefined : comment.length > 0);
  const silent = gesture.words.trim() === "";
  // The override has to be reasoned; a request has what the environment asks for.
  const unsaid = asksWords && silent && (direct || comment.length > 0);
  const splits = only(now.defaultRule) === undefined;
  const link = `${location.origin}/${organization}/${project}/flags/${flag}/${environment}`;

  return (
    <form
      ref={form}
      className={classes.quick}
      onSubmit={(event) => {
        event.preventDefault();
        if (direct) send.mutate();
        else if (!unsaid && !missing) gesture.request.mutate();
      }}
    >
      {(now.on || props.share !== undefined) && definition.variations.length > 1 && (
        <TextField
          label={t("quick.share", { variation: label })}
          inputMode="decimal"
          value={gesture.typed}
          data-autofocus={splits || undefined}
          onFocus={(event) => event.target.select()}
          onChange={(event) => gesture.setTyped(event.target.value.replace(",", "."))}
        />
      )}
      <LastHour {...{ organization, project, environment, flag: definition }} />
      {effects &&
        (known ? (
          <Effects of={effects} />
        ) : (
          <Gets environment={environment} flag={definition} targeting={gesture.next} />
        ))}
      <Needs needs={trial.data?.needs ?? []} />
      <Lacking permissions={lacking} />
      <Wrong error={trial.error ?? send.error ?? gesture.request.error} />
      {asksWords && (
        <TextField
          label={t(!direct ? "quick.forReviewers" : waits ? "quick.reason" : "quick.comment")}
          help={waits && direct && comment.length > 0 ? t("quick.reasonHelp") : undefined}
          required={direct || comment.length > 0}
          // Unless a percentage is being typed, this is what it waits for.
          autoFocus={!rolls && !splits}
          value={gesture.words}
          onChange={(event) => gesture.setWords(event.target.value)}
        />
      )}
      {waits && mayOverride === false && !missing && (
        <Lacking permissions={[{ ...gesture.overriding, allowed: false, command: 0 }]} />
      )}
      <div className={classes.buttons}>
        {direct && (
          <Button
            type="submit"
            look={waits ? "danger" : "primary"}
            busy={send.isPending}
            lacking={
              missing
                ? t("needs.permission", missing)
                : unsaid
                  ? t(waits ? "quick.reasonFirst" : "quick.commentFirst")
                  : undefined
            }
            data-autofocus={!splits || !now.on || undefined}
          >
            {send.isPending ? t("quick.applying") : name}
          </Button>
        )}
        {waits && !missing && mayOverride !== undefined && (
          <Button
            look={direct ? "plain" : "primary"}
            busy={gesture.request.isPending}
            lacking={comment.length > 0 && silent ? t("quick.commentFirst") : undefined}
            onClick={() => gesture.request.mutate()}
          >
            {direct ? t("quick.request") : name}
          </Button>
        )}
        {(waits || comment.length > 0) && !missing && (
          <Button look={waits ? "quiet" : "plain"} onClick={gesture.toReview}>
            {t("quick.toReview")}
          </Button>
        )}
        {missing && (
          <CopyButton
            small={false}
            text={`${link}?${rolls ? `share=${gesture.typed}` : `do=${now.on ? "off" : "on"}`}`}
            label={t("quick.copyLink")}
          />
        )}
      </div>
    </form>
  );
}
