/** What is said of relays and their keys. */
import type { RelayAgent, RelayKey } from "@/lib/api/relays";
import type { Schemas } from "@/lib/api/client";

/** It feeds nobody any more. */
export const isRevoked = (key: RelayKey): boolean => key.revokedAt != null;

/** In how many environments it has not what is newest. */
export const behindIn = ({ environments }: RelayAgent): number =>
  environments.filter((it) => it.behind > 0).length;

/** Those that are there first, and then by name. */
export function inOrder(agents: RelayAgent[], compare: (a: string, b: string) => number) {
  return agents.toSorted(
    (a, b) => Number(b.connected) - Number(a.connected) || compare(a.name, b.name),
  );
}

/** What starts a relay that hangs on the server of this address. */
export const commandOf = (origin: string, secret: string): string =>
  `burgee relay --upstream ${origin} --key ${secret}`;

export type PlaceName = Schemas["PlaceName"];

/** `web/prod`: keys have no `/`. */
export const written = ({ project, environment }: PlaceName): string => `${project}/${environment}`;

export function read(text: string): PlaceName {
  const [project = "", environment = ""] = text.split("/");
  return { project, environment };
}

/** What is typed of a key. */
export interface Typed {
  name: string;
  description: string;
  all: boolean;
  /** As `written`. */
  chosen: string[];
}

export const scopeOf = ({ all, chosen }: Typed): Schemas["ScopeInput"] =>
  all ? { all } : { environments: chosen.map(read) };

export function typedOf({ name, description, scope }: RelayKey): Typed {
  return { name, description, all: scope.all, chosen: scope.environments.map(written) };
}

/** What an edit sends: the scope only where it is another one, since the reader may not see all of it. */
export function editOf(typed: Typed, key: RelayKey): Schemas["RelayKeyUpdate"] {
  const { name, description } = typed;
  const was = typedOf(key);
  const same =
    was.all === typed.all &&
    (typed.all || was.chosen.toSorted().join() === typed.chosen.toSorted().join());
  return { name: name.trim(), description, ...(same ? {} : { scope: scopeOf(typed) }) };
}
