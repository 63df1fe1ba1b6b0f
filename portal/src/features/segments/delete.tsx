import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useApplied } from "@/components/applied";
import { ConfirmName } from "@/components/confirm-name";
import { Dialog } from "@/components/dialog";
import type { Schemas } from "@/lib/api/client";
import { apply } from "@/lib/changes";
import { sameSubject, subjectOf } from "@/lib/draft/edit";
import { filtered } from "@/lib/draft/draft";
import { placed } from "@/lib/draft/segment";
import { changeDraft } from "@/lib/draft/store";
import type { SegmentPlace } from "@/lib/model/segment";
import { UsedBy } from "./used-by";

interface Props {
  organization: string;
  project: string;
  place: SegmentPlace;
  detail: Schemas["SegmentDetail"];
  close: () => void;
}

/** Deletes it, where no flag names it; else says which do. */
export function DeleteSegment({ organization, project, place, detail, close }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const done = useApplied(organization);
  const { key } = detail;
  if (detail.usedBy.length > 0 || detail.usedByHidden > 0) {
    return (
      <Dialog title={t("segments.deleteOne", { key })} close={close}>
        <p>{t("segments.inUse", { key })}</p>
        <UsedBy organization={organization} detail={detail} />
      </Dialog>
    );
  }
  async function run() {
    const command = { kind: "deleteSegment" as const, ...placed(place), segment: key };
    const result = await apply(organization, { base: detail.versions, commands: [command] });
    const gone = subjectOf(command);
    changeDraft((now) => filtered(now, (it) => !sameSubject(subjectOf(it), gone)));
    await navigate({ to: "/$organization/$project/segments", params: { organization, project } });
    done(result);
  }
  return (
    <ConfirmName name={key} command={t("segments.deleteOne", { key })} run={run} close={close}>
      <p>{t("segments.deleteHelp")}</p>
    </ConfirmName>
  );
}
