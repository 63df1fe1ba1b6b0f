import type { Schemas } from "@/lib/api/client";

/** Values as they are typed: one a line, with what it means behind ": ". */
export function presetLines(presets: Schemas["Preset"][]): string {
  return presets
    .map(({ value, description = "" }) => {
      const plain = !value.includes(": ") && !value.startsWith('"') && value === value.trim();
      const written = plain ? value : JSON.stringify(value);
      return description === "" ? written : `${written}: ${description}`;
    })
    .join("\n");
}

/** A value with a colon or blanks in it stands in quotes. */
export function presetsOf(text: string): Schemas["Preset"][] {
  return text.split(/\r?\n/).flatMap((line) => {
    const quoted = /^\s*("(?:[^"\\]|\\["\\])*")\s*(?::\s(.*))?$/.exec(line);
    if (quoted?.[1]) {
      return [{ value: JSON.parse(quoted[1]) as string, description: (quoted[2] ?? "").trim() }];
    }
    const at = line.indexOf(": ");
    const value = (at < 0 ? line : line.slice(0, at)).trim();
    const description = at < 0 ? "" : line.slice(at + 2).trim();
    return value === "" ? [] : [{ value, description }];
  });
}
