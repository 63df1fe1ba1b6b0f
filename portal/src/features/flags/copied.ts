import type { Schemas } from "@/lib/api/client";
import type { Call, Copied } from "@/lib/copy-as";
import { type Filter, written } from "@/lib/filter";

/** The call that lists the same flags; none where the API has no word for a part of the filter. */
function callOf(project: string, filter: Filter): Call | undefined {
  const { q, tag, type, on, off, archived, stale, mine } = filter;
  const several = tag?.includes(",") || (on !== undefined && off !== undefined);
  // What is searched here are other texts than there.
  if (q !== undefined || type !== undefined || mine || several) return undefined;
  const environment = on ?? off;
  const query: Record<string, string> = {
    ...(tag === undefined ? {} : { tag }),
    ...(archived ? { state: "archived" } : {}),
    ...(stale ? { stale: "true" } : {}),
    ...(environment === undefined ? {} : { environment, enabled: String(on !== undefined) }),
    limit: "500",
  };
  return { path: `/api/v1/projects/${project}/flags`, query };
}

/** The list as it is filtered, for elsewhere. */
export function copiedOf(
  organization: string,
  project: string,
  filter: Filter,
  items: Schemas["IndexedFlagView"][],
): Copied {
  const text = written(filter);
  const call = callOf(project, filter);
  return {
    organization,
    link: `/${organization}/${project}/flags${text === "" ? "" : `?${text}`}`,
    ...(call ? { call } : {}),
    ...(items.length > 0 ? { flags: { project, keys: items.map((it) => it.key) } } : {}),
  };
}
