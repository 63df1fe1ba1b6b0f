import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { useShortcuts } from "@/lib/shortcuts";
import type { useRoving } from "./roving";
import type { Selection } from "./selection";

type Item = Schemas["IndexedFlagView"];

interface Props {
  organization: string;
  project: string;
  items: Item[];
  environments: Schemas["EnvironmentView"][];
  selection: Selection;
  archive: (items: Item[]) => void;
}

/** What keys do in the list, wherever on the page the focus is. */
export function useListKeys(props: Props, roving: ReturnType<typeof useRoving>): void {
  const { organization, project, items, environments, selection, archive } = props;
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { row } = roving.active;
  const here = items[row];
  function open() {
    if (!here) return;
    const environment = environments[0]?.key;
    const params = { organization, project, flag: here.key };
    void (environment === undefined
      ? navigate({ to: "/$organization/$project/flags/$flag", params })
      : navigate({
          to: "/$organization/$project/flags/$flag/$environment",
          params: { ...params, environment },
        }));
  }
  const { selected } = selection;
  useShortcuts([
    { keys: ["j", "ArrowDown"], words: t("flags.keys.next"), run: () => roving.move(1) },
    { keys: ["k", "ArrowUp"], words: t("flags.keys.previous"), run: () => roving.move(-1) },
    { keys: ["o", "Enter"], words: t("flags.keys.open"), run: open },
    { keys: "x", words: t("flags.keys.select"), run: () => selection.toggle(row, false) },
    {
      keys: "e",
      words: t("flags.keys.archive"),
      run: () => archive(selected.length > 0 ? selected : here ? [here] : []),
    },
    {
      keys: "Escape",
      words: t("flags.keys.clear"),
      ...(selected.length > 0 ? { run: selection.clear } : {}),
    },
  ]);
}
