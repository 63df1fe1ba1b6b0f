import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Asked, permissionsQuery } from "@/lib/api/permissions";

/**
 * Why a control may not be used, by its name here; nothing where it may. Until the answer is there
 * all may: the server decides in any case.
 */
export function useLacking<Name extends string>(
  organization: string,
  asked: Record<Name, Asked>,
): Partial<Record<Name, string>> {
  const { t } = useTranslation();
  const names = Object.keys(asked) as Name[];
  const answers = useQuery(
    permissionsQuery(
      organization,
      names.map((it) => asked[it]),
    ),
  );
  const lacking: Partial<Record<Name, string>> = {};
  names.forEach((name, index) => {
    const { action, resource } = asked[name];
    if (answers.data?.[index]?.allowed === false) {
      // The mark of an environment is for policies, not for people.
      lacking[name] = t("needs.permission", { action, resource: resource.split("@")[0] });
    }
  });
  return lacking;
}
