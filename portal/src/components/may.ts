import { useQuery } from "@tanstack/react-query";
import { type Asked, permissionsQuery } from "@/lib/api/permissions";
import { useWhom } from "./whom";

/**
 * Why a control may not be used, by its name here; nothing where it may. Until the answer is there
 * all may: the server decides in any case.
 */
export function useLacking<Name extends string>(
  organization: string,
  asked: Record<Name, Asked>,
): Partial<Record<Name, string>> {
  const names = Object.keys(asked) as Name[];
  const answers = useQuery(
    permissionsQuery(
      organization,
      names.map((it) => asked[it]),
    ),
  );
  const missing = names.filter((_, index) => answers.data?.[index]?.allowed === false);
  const said = useWhom(
    organization,
    missing.map((it) => asked[it]),
  );
  const lacking: Partial<Record<Name, string>> = {};
  missing.forEach((name, index) => {
    const text = said[index];
    if (text !== undefined) lacking[name] = text;
  });
  return lacking;
}
