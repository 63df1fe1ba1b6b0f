import type { Statement } from "@/lib/access";

const isTexts = (it: unknown): it is string[] =>
  Array.isArray(it) && it.every((text) => typeof text === "string");

function isStatement(it: unknown): it is Statement {
  if (typeof it !== "object" || it === null) return false;
  const { effect, actions, resources, ...more } = it as Record<string, unknown>;
  const known = effect === "allow" || effect === "deny";
  return known && isTexts(actions) && isTexts(resources) && Object.keys(more).length === 0;
}

/** Statements as JSON; nothing where the text is none. What the patterns mean, the server says. */
export function readStatements(text: string): Statement[] | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) && read.every(isStatement) ? read : undefined;
  } catch {
    return undefined;
  }
}
