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
  // What it did comes first where that is one thing: versions are for those who know them.
  const words = ({ diff }: Result, versions: string) => {
    const switched = diff.filter((it) => it.code === "turnedOn" || it.code === "turnedOff");
    const [only] = switched;
    const { flag, environment } = only?.params ?? {};
    if (versions === "") return t("applied.done");
    if (switched.length !== 1 || flag === undefined || environment === undefined) return versions;
    const key = only?.code === "turnedOn" ? "applied.turnedOn" : "applied.turnedOff";
    return t(key, { flag, environment, versions });
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
    toast(words(result, list(versions)), {
      label: t("action.undo"),
      run: () => void undo(),
    });
  };
}
