import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import type { RelayKey } from "@/lib/api/relays";
import { written } from "./relays";

/** So many are named in a table; all of them when one points at it, and where it is edited. */
const NAMED = 3;

/** Which environments a key is for, in words. */
export function Scope({ of: { all, environments, hidden } }: { of: RelayKey["scope"] }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  if (all) return t("relays.all");
  const names = environments.map(written);
  const more = names.length - NAMED;
  const shown = list(more > 0 ? names.slice(0, NAMED) : names);
  return (
    <>
      {names.length === 0 && hidden === 0 && t("relays.noneLeft")}
      {names.length > 0 && (
        <span title={list(names)}>
          {more > 0 ? t("relays.namedAndMore", { names: shown, count: more }) : shown}
        </span>
      )}
      {hidden > 0 && <small>{t("relays.hidden", { count: hidden })}</small>}
    </>
  );
}
