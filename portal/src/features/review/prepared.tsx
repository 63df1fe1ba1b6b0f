import { useQuery } from "@tanstack/react-query";
import { CopyAs } from "@/components/copy-as";
import { CopyButton } from "@/components/copy";
import { useTranslation } from "react-i18next";
import { flagQuery } from "@/lib/api/queries";
import { applied } from "@/lib/draft/apply";
import type { Draft } from "@/lib/draft/draft";
import { type Edit, isFlagEdit } from "@/lib/draft/edit";
import { type WholeFlag, targetingIn, wholeFlag } from "@/lib/model/flag";
import { merged, shareOf, withShare } from "@/lib/model/rollout";
import { stampOf } from "@/lib/stamp";

/**
 * For somebody who may do what I may not: one gesture is a link that opens it, anything else the
 * commands, since the API takes a request from those alone who may do all of it.
 */
export function Prepared({ organization, draft }: { organization: string; draft: Draft }) {
  const { t } = useTranslation();
  const [edit] = draft.commands;
  const alone = draft.commands.length === 1 && edit && isFlagEdit(edit) ? edit : undefined;
  const { project = "", flag = "" } = alone ?? {};
  const detail = useQuery({
    ...flagQuery(organization, project, flag),
    enabled: alone !== undefined,
  });
  const gesture = alone && detail.data && gestureOf(wholeFlag(project, detail.data), alone);
  if (alone && gesture !== undefined && "environment" in alone) {
    const path = `/${organization}/${project}/flags/${flag}/${alone.environment}?${gesture}`;
    return (
      <div>
        <CopyButton text={location.origin + path} label={t("review.linkForThem")} />
      </div>
    );
  }
  const { base, commands } = draft;
  return (
    <div>
      <CopyAs of={{ organization, set: { base, commands } }} />
    </div>
  );
}

/** What the address of a popover says that does this: `do=off`, `share=10`; else nothing. */
export function gestureOf(whole: WholeFlag, edit: Edit): string | undefined {
  if (edit.kind === "turnOn") return "do=on";
  if (edit.kind === "turnOff") return "do=off";
  if (edit.kind !== "setDefaultRule") return undefined;
  const before = targetingIn(whole, edit.environment).defaultRule;
  const after = targetingIn(applied(whole, [edit]), edit.environment).defaultRule;
  const { onVariation, variations } = whole.flag;
  const share = shareOf(after, onVariation);
  const ids = variations.map((it) => it.id);
  // The popover changes one share, and nothing else.
  const would = withShare(before, onVariation, share, ids);
  const same =
    stampOf(merged(would)) === stampOf(merged(after)) && would.dispatchKey === after.dispatchKey;
  return same ? `share=${Number((share * 100).toFixed(4))}` : undefined;
}
