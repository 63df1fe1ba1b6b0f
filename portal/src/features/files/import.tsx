import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { importProject } from "@/lib/api/projects";
import { ask } from "@/lib/changes";
import { useFormat } from "@/lib/format";
import { toast } from "@/lib/toasts";
import { Fault } from "./fault";
import classes from "./files.module.css";
import { Plan } from "./plan";
import { Source } from "./source";

const EXAMPLE = `burgee: 1
project: web
flags:
  checkout:
    type: boolean
    variations: [{ value: "true" }, { value: "false" }]`;

/** Makes the project as a file says. What it would do is looked at first. */
export function Import({ organization, project }: { organization: string; project: string }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const area = useRef<HTMLDivElement>(null);
  const [file, setFile] = useState("");
  const [prune, setPrune] = useState(false);
  const [comment, setComment] = useState("");
  const send = (dryRun: boolean) =>
    importProject(organization, project, { file, prune, comment: comment.trim() }, dryRun);
  const plan = useMutation({ mutationFn: () => send(true) });
  const applying = useMutation({
    mutationFn: () => send(false),
    onSuccess: (result) => {
      toast(t("files.applied", { count: result.applied.length }));
      setFile("");
      setComment("");
      plan.reset();
    },
    // Where a later part was refused, those before it are there.
    onSettled: () => queries.invalidateQueries(),
  });
  const first = plan.data?.changeSets[0];
  const asking = useMutation({
    mutationFn: async () => {
      const { base, commands } = first ?? { base: {}, commands: [] };
      const title = t("files.requestTitle", { project });
      return ask(organization, { base, commands, comment: comment.trim(), title });
    },
    onSuccess: ({ id }) =>
      navigate({ to: "/$organization/changes/$id", params: { organization, id } }),
  });
  const needs = plan.data?.changeSets.flatMap((it) => it.needs) ?? [];
  const waits = needs.filter((it) => it.missing > 0).map((it) => it.environment);
  const commented = !needs.some((it) => it.comment) || comment.trim() !== "";
  const something = plan.data?.items.some((it) => it.result !== "unchanged") ?? false;
  const edit = (run: () => void) => {
    run();
    // What was looked at is not what would be done any more.
    plan.reset();
    applying.reset();
  };
  const lacksComment = commented ? undefined : t("files.commentFirst");
  return (
    <section className={classes.part}>
      <h2>{t("files.import")}</h2>
      <p className={classes.quiet}>{t("files.importHelp")}</p>
      <Source
        area={area}
        label={t("files.file")}
        accept=".yaml,.yml,.json"
        placeholder={EXAMPLE}
        value={file}
        change={(text) => edit(() => setFile(text))}
      />
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={prune}
          onChange={(event) => edit(() => setPrune(event.target.checked))}
        />
        {t("files.prune")}
      </label>
      <Fault error={plan.error ?? applying.error ?? asking.error} text={file} area={area} />
      <div>
        <Button
          busy={plan.isPending}
          lacking={file.trim() === "" ? t("files.fileFirst") : undefined}
          onClick={() => plan.mutate()}
        >
          {t("files.try")}
        </Button>
      </div>
      {plan.data && <Plan of={plan.data} />}
      {plan.data && something && (
        <>
          <TextField
            label={t("files.comment")}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
          <div className={classes.buttons}>
            {waits.length === 0 ? (
              <Button
                look="primary"
                busy={applying.isPending}
                lacking={lacksComment}
                onClick={() => applying.mutate()}
              >
                {t("files.apply", { project })}
              </Button>
            ) : (
              <Button
                look="primary"
                busy={asking.isPending}
                lacking={lacksComment}
                onClick={() => asking.mutate()}
              >
                {t("files.request", { environments: list([...new Set(waits)]) })}
              </Button>
            )}
          </div>
          {waits.length > 0 && (plan.data.changeSets.length ?? 0) > 1 && (
            <p className={classes.quiet}>
              {t("files.parts", { count: plan.data.changeSets.length })}
            </p>
          )}
        </>
      )}
    </section>
  );
}
