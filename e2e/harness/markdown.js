// What stands in a Markdown page to be run, and to be compared with.

/** The fenced blocks of a text, in order: `{language, body}`. */
export function fenced(text) {
  const found = text.matchAll(/^```(\w+)\n(.*?)^```/gms);
  return Array.from(found, ([, language, body]) => ({ language, body }));
}
