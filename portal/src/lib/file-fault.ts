/** Where a file is wrong. */
import { Refused } from "./api/client";

export interface Fault {
  /** From 1. */
  line: number;
  column: number;
  /** What is wrong there, in the server's words. */
  why: string;
}

/** The line that a refusal names, where it names one. */
export function faultOf(error: unknown): Fault | undefined {
  if (!(error instanceof Refused)) return undefined;
  for (const { detail } of error.problem?.errors ?? []) {
    const [, why = "", line, column] = /^(.*?),? at line (\d+),? column (\d+)$/s.exec(detail) ?? [];
    if (line !== undefined) return { why, line: Number(line), column: Number(column) };
  }
  return undefined;
}

/** Where a line begins and ends in a text. */
export function rangeOf(text: string, line: number): [start: number, end: number] {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0);
  return [before, before + (lines[line - 1]?.length ?? 0)];
}
