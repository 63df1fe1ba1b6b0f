import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useApplied } from "@/components/applied";
import { ConfirmName } from "@/components/confirm-name";
import { DiffLines } from "@/components/diff-lines";
import { Lacking, Needs } from "@/components/needs";
import { Waiting, Wrong } from "@/components/states";
import { apply, asks, tryOut } from "@/lib/changes";

interface Props {
  organization: string;
  project: string;
  versions: Record<string, number>;
  keys: string[];
  close: () => void;
}

/** Archived flags are deleted for good: what is typed is the flag's key, of several the project's. */
export function DeleteFlags({ organization, project, versions, keys, close }: Props) {
  const { t } = useTranslation();
  const done = useApplied(organization);
  const set = {
    base: { [project]: versions[project] ?? 0 },
    commands: keys.map((flag) => ({ kind: "deleteFlag" as const, project, flag })),
  };
  const trial = useQuery(tryOut(organization, set));
  const count = keys.length;
  return (
    <ConfirmName
      name={count === 1 ? (keys[0] ?? project) : project}
      command={t("list.deleteMany", { count, flag: keys[0] })}
      run={async () => done(await apply(organization, set))}
      close={close}
    >
      <p>{t("list.deleteHelp", { count })}</p>
      {trial.isPending && <Waiting rows={2} />}
      {trial.data && <DiffLines lines={trial.data.diff} />}
      <Needs needs={trial.data?.needs ?? []} />
      <Lacking permissions={asks(trial.data).lacking} />
      <Wrong error={trial.error} />
    </ConfirmName>
  );
}
