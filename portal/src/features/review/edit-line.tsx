import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { VariationChanges } from "@/components/variation-changes";
import { flagQuery } from "@/lib/api/queries";
import { applied } from "@/lib/draft/apply";
import { type Edit, isFlagEdit, subjectOf } from "@/lib/draft/edit";
import { useDraft } from "@/lib/draft/store";
import { useFormat } from "@/lib/format";
import { wholeFlag } from "@/lib/model/flag";
import { type Speaker, namesParts, wordsOf } from "@/lib/words";

/** An edit in words: where, which flag or segment, what shall be. */
export function EditLine({ organization, edit }: { organization: string; edit: Edit }) {
  const { t } = useTranslation();
  const { share, list, either } = useFormat();
  const draft = useDraft();
  const { key, project = "", environment } = subjectOf(edit);
  const detail = useQuery({
    ...flagQuery(organization, project, key),
    // Turning forty off asks for none of them.
    enabled: isFlagEdit(edit) && (namesParts(edit) || edit.kind === "setVariations"),
  });
  const whole =
    isFlagEdit(edit) && detail.data
      ? applied(wholeFlag(project, detail.data), draft.commands)
      : undefined;
  const speaker: Speaker = { t, share, list, either, whole };
  return (
    <span>
      {environment !== undefined && <strong>{environment} </strong>}
      <code>{key}</code> {wordsOf(speaker, edit)}
      {edit.kind === "setVariations" && detail.data && (
        <VariationChanges
          before={wholeFlag(project, detail.data).flag.variations}
          after={edit.variations.map(({ id, name, value }) => ({
            id: id ?? "",
            name: name ?? null,
            value,
          }))}
        />
      )}
    </span>
  );
}
