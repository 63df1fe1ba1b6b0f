import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { type Asked, holdersQuery } from "@/lib/api/permissions";
import { useFormat } from "@/lib/format";
import { lackWords } from "@/lib/problems";

/** For each permission that is missing: which, on what, and who grants it, as one text. */
export function useWhom(organization: string, missing: Asked[]): string[] {
  const { t } = useTranslation();
  const { list } = useFormat();
  const found = useQueries({
    queries: missing.map((it) => ({
      ...holdersQuery(organization, it),
      enabled: organization !== "",
    })),
    combine: (all) => all.map((it) => it.data),
  });
  const names = ({ names, more }: Schemas["Named"]) =>
    list(more > 0 ? [...names, t("needs.others", { count: more })] : names);
  return missing.map((it, index) => {
    const grantors = found[index]?.grantors;
    const known = grantors !== undefined && grantors.names.length > 0;
    return lackWords(t, it, known ? names(grantors) : undefined);
  });
}
