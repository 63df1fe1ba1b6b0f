import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { revert } from "@/lib/changes";
import { withCommands } from "@/lib/draft/draft";
import { editsOf } from "@/lib/draft/edit";
import { changeDraft } from "@/lib/draft/store";
import { useApplied } from "./applied";
import { Anchored } from "./anchored";
import { Button } from "./button";
import { DiffLines } from "./diff-lines";
import { TextField } from "./field";
import { Lacking, Needs } from "./needs";
import classes from "./quick-edit.module.css";
import { Waiting, Wrong } from "./states";

/** The way back from a change set; what it would do is shown before it is done. */
export function Revert({ organization, id }: { organization: string; id: string }) {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement>();
  return (
    <>
      <Button small aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
        {t("revert.revert")}
      </Button>
      {anchor && (
        <Anchored anchor={anchor} title={t("revert.title")} close={() => setAnchor(undefined)}>
          <Plan organization={organization} id={id} close={() => setAnchor(undefined)} />
        </Anchored>
      )}
    </>
  );
}

function Plan({
  organization,
  id,
  close,
}: {
  organization: string;
  id: string;
  close: () => void;
}) {
  const { t } = useTranslation();
  const done = useApplied(organization);
  const [comment, setComment] = useState("");
  const send = useMutation({
    mutationFn: () => revert(organization, id, { comment }),
    onSuccess: ({ result }) => {
      close();
      done(result);
    },
  });
  const plan = useQuery({
    queryKey: ["review", organization, "revert", id],
    queryFn: () => revert(organization, id, { dryRun: true }),
    retry: false,
    // What is being done is not tried out once more, though it makes the answer old.
    enabled: !send.isPending,
  });
  const result = plan.data?.result;
  const lacking = (result?.permissions ?? []).filter((it) => !it.allowed);
  const missing = lacking[0];
  const waits = result?.needs.some((it) => it.missing > 0) ?? false;
  return (
    <form
      className={classes.quick}
      onSubmit={(event) => {
        event.preventDefault();
        const { data } = plan;
        if (!waits) send.mutate();
        else if (data) {
          // Others have to agree: it goes the way of all edits.
          const { base, commands } = data;
          changeDraft((draft) => withCommands(draft, { base, commands: editsOf(commands) }));
          close();
        }
      }}
    >
      {plan.isPending && <Waiting rows={2} />}
      {result && result.diff.length === 0 && <p>{t("revert.nothing")}</p>}
      {result && <DiffLines lines={result.diff} />}
      <Needs needs={result?.needs ?? []} />
      <Lacking permissions={lacking} />
      <Wrong error={plan.error ?? send.error} />
      {!waits && result?.needs.some((it) => it.comment) && (
        <TextField
          label={t("revert.comment")}
          required
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
      )}
      {result && result.diff.length > 0 && (
        <Button
          type="submit"
          look="primary"
          busy={send.isPending}
          data-autofocus
          lacking={missing && t("needs.permission", missing)}
        >
          {t(waits ? "quick.toReview" : "revert.revert")}
        </Button>
      )}
    </form>
  );
}
