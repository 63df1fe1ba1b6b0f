/** Two environments that are compared: what is taken from one to the other. */

export interface Pair {
  from: string;
  to: string;
}

interface Known {
  key: string;
  protected: boolean;
}

/** What a pair is called in an address: `staging..prod`. */
export const writtenPair = ({ from, to }: Pair): string => `${from}..${to}`;

/** The pair of an address, where both are there. Keys may have dots in them, too. */
export function readPair(text: string, environments: readonly Known[]): Pair | undefined {
  const keys = new Set(environments.map((it) => it.key));
  for (let at = text.indexOf(".."); at >= 0; at = text.indexOf("..", at + 1)) {
    const pair = { from: text.slice(0, at), to: text.slice(at + 2) };
    if (keys.has(pair.from) && keys.has(pair.to) && pair.from !== pair.to) return pair;
  }
  return undefined;
}

/** From the environment before one in the order to it; the first one takes from the next. */
export function pairTo(to: string, environments: readonly Known[]): Pair | undefined {
  const at = environments.findIndex((it) => it.key === to);
  const other = environments[at - 1] ?? environments[at + 1];
  return at < 0 || !other ? undefined : { from: other.key, to };
}

/** The pair that one most likely means: to the last protected one, else to what is called so. */
export function presetPair(environments: readonly Known[]): Pair | undefined {
  const guarded = environments.findLast((it) => it.protected);
  const called = environments.find((it) => /^(prod|live)/i.test(it.key));
  const to = guarded ?? called ?? environments.at(-1);
  return to && pairTo(to.key, environments);
}
