import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { flagQuery } from "@/lib/api/queries";
import { applied } from "@/lib/draft/apply";
import type { Edit } from "@/lib/draft/apply";
import { useDraft } from "@/lib/draft/store";
import { useFormat } from "@/lib/format";
import { wholeFlag } from "@/lib/model/flag";
import { type Speaker, wordsOf } from "@/lib/words";

/** An edit in words: where, which flag, what shall be. */
export function EditLine({ organization, edit }: { organization: string; edit: Edit }) {
  const { t } = useTranslation();
  const { share, list } = useFormat();
  const draft = useDraft();
  const detail = useQuery(flagQuery(organization, edit.project, edit.flag));
  const whole = detail.data && applied(wholeFlag(edit.project, detail.data), draft.commands);
  const speaker: Speaker = { t, share, list, whole };
  return (
    <span>
      {"environment" in edit && <strong>{edit.environment} </strong>}
      <code>{edit.flag}</code> {wordsOf(speaker, edit)}
    </span>
  );
}
