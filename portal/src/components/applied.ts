import { useQueryClient } from "@tanstack/react-query";
import { createElement } from "react";
import { useTranslation } from "react-i18next";
import { type Result, moved, revert } from "@/lib/changes";
import { useFormat } from "@/lib/format";
import { wasHeard } from "@/lib/live";
import { shareWords } from "@/lib/phrases";
import { said } from "@/lib/problems";
import { toast } from "@/lib/toasts";
import { DeliveryLine } from "./delivery/lazily";

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
  const { list, number, share, either } = useFormat();
  const queries = useQueryClient();
  const again = () => {
    for (const key of MOVED) {
      void queries.invalidateQueries({ queryKey: [key, organization] });
    }
  };
  // What it did comes first where that is one thing: versions are for those who know them.
  const words = ({ diff }: Result, versions: string) => {
    const switched = diff.filter((it) => it.code === "turnedOn" || it.code === "turnedOff");
    const [only] = switched.length > 0 ? switched : diff;
    const { flag, environment } = only?.params ?? {};
    const several = (switched.length > 0 ? switched : diff).length !== 1;
    if (versions === "") return t("applied.done");
    if (several || flag === undefined || environment === undefined) return versions;
    if (only?.code === "defaultRuleSet" && only.of?.serves) {
      const name = (it: string | null | undefined) =>
        it == null ? t("diff.unknownVariation") : t("diff.quoted", { text: it });
      const shares = only.of.serves.map((it) => ({ ...it, name: name(it.variation) }));
      const serves = shareWords({ t, share, list, either }, shares, undefined);
      return t("applied.rolled", { flag, environment, serves, versions });
    }
    if (switched.length === 0) return versions;
    const key = only?.code === "turnedOn" ? "applied.turnedOn" : "applied.turnedOff";
    return t(key, { flag, environment, versions });
  };
  return (result) => {
    // Nothing of any size is asked for twice.
    if (!wasHeard(result.id)) again();
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
    const undone = { label: t("action.undo"), run: () => void undo() };
    const delivered = { organization, change: result.id };
    // Nobody is sent what moved no environment.
    const more = versions.length > 0 ? createElement(DeliveryLine, delivered) : undefined;
    toast(words(result, list(versions)), undone, more);
  };
}
