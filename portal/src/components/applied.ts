import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Result, moved, revert } from "@/lib/changes";
import { useFormat } from "@/lib/format";
import { said } from "@/lib/problems";
import { toast } from "@/lib/toasts";

/** What a change set may have made old, before the server's own word of it is here. */
const MOVED = [
  "flagIndex",
  "flag",
  "segments",
  "segment",
  "changes",
  "requests",
  "request",
  "schedule",
  "versions",
];

/** What follows when a change set was applied: what is shown is asked for again, and said, with Undo. */
export function useApplied(organization: string): (result: Result) => void {
  const { t } = useTranslation();
  const { list, number } = useFormat();
  const queries = useQueryClient();
  const again = () => {
    for (const key of MOVED) {
      void queries.invalidateQueries({ queryKey: [key, organization] });
    }
  };
  return (result) => {
    again();
    const versions = moved(result).map((it) =>
      t("applied.version", { ...it, version: number(it.version) }),
    );
    const undo = async () => {
      try {
        await revert(organization, result.id);
        again();
        toast(t("applied.undone"));
      } catch (error) {
        toast(said(t, error).text);
      }
    };
    toast(versions.length > 0 ? list(versions) : t("applied.done"), {
      label: t("action.undo"),
      run: () => void undo(),
    });
  };
}
