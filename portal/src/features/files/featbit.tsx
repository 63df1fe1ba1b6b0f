import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { SelectField } from "@/components/select-field";
import { Wrong } from "@/components/states";
import { importFeatbit } from "@/lib/api/projects";
import { environmentsQuery } from "@/lib/api/queries";
import { readFeatbit } from "@/lib/featbit";
import { toast } from "@/lib/toasts";
import { FeatbitPlan } from "./featbit-plan";
import classes from "./files.module.css";
import { Source } from "./source";

const EXAMPLE = `{ "featureFlags": [ … ], "segments": [ … ] }`;

/** Takes flags and segments over from a FeatBit environment, with their ids. */
export function Featbit({ organization, project }: { organization: string; project: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const environments = useQuery(environmentsQuery(organization, project));
  const [chosen, setChosen] = useState<string>();
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const [comment, setComment] = useState("");
  const environment = chosen ?? environments.data?.[0]?.key ?? "";
  const found = readFeatbit(text);
  const send = (dryRun: boolean) => {
    const override = reason.trim() === "" ? {} : { override: { reason: reason.trim() } };
    const body = { flags: found?.flags ?? [], segments: found?.segments ?? [], dryRun, comment };
    return importFeatbit(organization, { project, environment }, { ...body, ...override });
  };
  const plan = useMutation({ mutationFn: () => send(true) });
  const importing = useMutation({
    mutationFn: () => send(false),
    onSuccess: async () => {
      toast(t("files.imported", { environment }));
      setText("");
      plan.reset();
      await queries.invalidateQueries();
    },
  });
  const edit = (run: () => void) => {
    run();
    plan.reset();
    importing.reset();
  };
  const why =
    text.trim() === ""
      ? t("files.fileFirst")
      : found === undefined
        ? t("files.notFeatbit")
        : undefined;
  const silent = (plan.data?.needs.some((it) => it.comment) ?? false) && comment.trim() === "";
  const waits = plan.data?.needs.some((it) => it.missing > 0) ?? false;
  const unexplained = waits && reason.trim() === "" ? t("files.overrideFirst") : undefined;
  const lacks = silent ? t("files.commentFirst") : unexplained;
  const something = (plan.data?.diff.length ?? 0) > 0;
  return (
    <section className={classes.part}>
      <h2>{t("files.featbit")}</h2>
      <p className={classes.quiet}>{t("files.featbitHelp")}</p>
      <SelectField
        label={t("files.into")}
        value={environment}
        onChange={(event) => edit(() => setChosen(event.target.value))}
      >
        {environments.data?.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </SelectField>
      <Source
        label={t("files.featbitFile")}
        accept=".json"
        placeholder={EXAMPLE}
        value={text}
        change={(next) => edit(() => setText(next))}
      />
      {text.trim() !== "" && found === undefined && (
        <p className={classes.wrong} role="alert">
          {t("files.notFeatbit")}
        </p>
      )}
      <Wrong error={plan.error ?? importing.error} />
      <div>
        <Button busy={plan.isPending} lacking={why} onClick={() => plan.mutate()}>
          {t("files.tryFeatbit")}
        </Button>
      </div>
      {plan.data && <FeatbitPlan of={plan.data} />}
      {plan.data && something && (
        <TextField
          label={t("files.comment")}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
      )}
      {plan.data && something && waits && (
        <TextField
          label={t("files.override")}
          help={t("files.overrideHelp")}
          required
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {plan.data && something && (
        <div>
          <Button
            look="primary"
            busy={importing.isPending}
            lacking={lacks}
            onClick={() => importing.mutate()}
          >
            {t(waits ? "files.importOverride" : "files.importInto", { environment })}
          </Button>
        </div>
      )}
    </section>
  );
}
