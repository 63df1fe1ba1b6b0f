/** Individual targets: a user stands on one list alone. */

type Targets = Record<string, string[]>;

/** The lists with other keys for one variation, and what others lost by it. */
export function withTargets(
  targets: Targets,
  variation: string,
  keys: string[],
): { targets: Targets; taken: { variation: string; keys: string[] }[] } {
  const chosen = new Set(keys);
  const had = new Set(targets[variation]);
  const others = Object.entries(targets).filter(([id]) => id !== variation);
  const taken = others
    .map(([id, list]) => ({
      variation: id,
      keys: list.filter((key) => chosen.has(key) && !had.has(key)),
    }))
    .filter((it) => it.keys.length > 0);
  const left = others.map(([id, list]) => [id, list.filter((key) => !chosen.has(key))] as const);
  const lists = [...left, [variation, keys] as const].filter(([, list]) => list.length > 0);
  return { targets: Object.fromEntries(lists), taken };
}

/** Keys that stand on more than one list, in the order of the variations. */
export function inTwo(targets: Targets, variations: string[]): string[] {
  const seen = new Set<string>();
  return variations
    .flatMap((id) => targets[id] ?? [])
    .filter((key) => {
      const twice = seen.has(key);
      seen.add(key);
      return twice;
    });
}

/** Each key on the first of its lists alone. */
export function once(targets: Targets, variations: string[]): Targets {
  const seen = new Set<string>();
  const lists = variations.map((id) => {
    const keys = (targets[id] ?? []).filter((key) => !seen.has(key));
    for (const key of keys) seen.add(key);
    return [id, keys] as const;
  });
  return Object.fromEntries(lists.filter(([, keys]) => keys.length > 0));
}
