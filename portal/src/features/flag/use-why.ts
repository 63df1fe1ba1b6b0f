import { hashKey, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { At } from "@/components/as-of";
import { type Question } from "@/lib/api/users";
import { whyQuery } from "@/lib/api/why";
import { useDraft } from "@/lib/draft/store";
import type { WhySearch } from "@/lib/why-search";
import { useEdits } from "./use-edits";
import { useFlag } from "./use-flag";

/** Who is asked for, in which state, as the address has it; and how to ask for others. */
export function useWhy(environment: string) {
  const { organization, project, key: flag } = useFlag();
  const search: WhySearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const { commands, missing } = useEdits(useDraft(), environment);
  const edited = commands.length > 0;
  const { user = "", properties, types, version } = search;
  const at: At = version ?? (search.draft && edited ? "draft" : undefined);
  const who: Question = { key: user, properties, types };
  const asked = whyQuery(organization, project, environment, flag, { ...who, version });
  const now = useQuery({
    ...asked,
    // Who is asked about otherwise stays in sight, and what is typed stays in its field.
    placeholderData: (before, query) =>
      before?.user.key === user && isOf(query?.queryKey, asked.queryKey) ? before : undefined,
  });
  const after = useQuery({
    ...whyQuery(organization, project, environment, flag, { ...who, commands }),
    enabled: user !== "" && edited && missing === undefined && version === undefined,
  });

  /** Shows another question, under its address. */
  function ask(next: WhySearch) {
    const params = { organization, project, flag, environment };
    const rest = { params, resetScroll: false } as const;
    if (next.user) {
      const to = "/$organization/$project/flags/$flag/$environment/why";
      // Another user is another page; the same one seen otherwise is not.
      void navigate({ to, search: next, ...rest, replace: next.user === user });
    } else void navigate({ to: "/$organization/$project/flags/$flag/$environment", ...rest });
  }

  return { user, version, at, edited, missing, now, after, commands, search, ask };
}

/** Whether two questions are about the same flag in the same place. */
const isOf = (one: readonly unknown[] | undefined, other: readonly unknown[]) =>
  one !== undefined && hashKey(one.slice(0, -1)) === hashKey(other.slice(0, -1));

export type Why = ReturnType<typeof useWhy>;
