import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { wayBack } from "@/lib/api/compare";
import { withCommands } from "@/lib/draft/draft";
import { editsOf } from "@/lib/draft/edit";
import { changeDraft } from "@/lib/draft/store";
import { useFormat } from "@/lib/format";
import { Button } from "./button";
import { DiffLines } from "./diff-lines";
import { Lacking, Needs } from "./needs";
import classes from "./quick-edit.module.css";
import { SidePanel } from "./side-panel";
import { Waiting, Wrong } from "./states";
import { Warnings } from "./warnings";

interface Props {
  organization: string;
  project: string;
  environment: string;
  version: number;
}

/**
 * The way of an environment back to one of its versions: what it would do first, then into the
 * review, where parts of it can be left out. Its words are the page `way-back`.
 */
export function RevertEnvironment(props: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const [open, setOpen] = useState(false);
  const version = number(props.version);
  return (
    <>
      <Button small aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t("wayBack.open", { version })}
      </Button>
      {open && (
        <SidePanel
          title={t("wayBack.title", { environment: props.environment, version })}
          close={() => setOpen(false)}
        >
          <Plan {...props} close={() => setOpen(false)} />
        </SidePanel>
      )}
    </>
  );
}

function Plan({
  organization,
  project,
  environment,
  version,
  close,
}: Props & { close: () => void }) {
  const { t } = useTranslation();
  const plan = useQuery({
    queryKey: ["review", organization, "wayBack", project, environment, version],
    queryFn: () => wayBack(organization, project, environment, version),
    retry: false,
  });
  if (plan.isPending) return <Waiting rows={4} />;
  if (plan.isError) return <Wrong error={plan.error} />;
  const { result, warnings, base, commands } = plan.data;
  return (
    <div className={classes.quick}>
      {result.diff.length === 0 && <p>{t("wayBack.nothing")}</p>}
      <DiffLines lines={result.diff} />
      <Warnings of={[...warnings, ...result.warnings]} />
      <Needs needs={result.needs} />
      <Lacking permissions={result.permissions.filter((it) => !it.allowed)} />
      {commands.length > 0 && (
        <Button
          look="primary"
          data-autofocus
          onClick={() => {
            const edits = editsOf(commands, project);
            changeDraft((draft) => withCommands(draft, { base, commands: edits }));
            close();
          }}
        >
          {t("quick.toReview")}
        </Button>
      )}
    </div>
  );
}
