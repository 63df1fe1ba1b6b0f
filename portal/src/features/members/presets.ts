/** What somebody who is invited may do, as choices that are said in a sentence. */
import type { Schemas } from "@/lib/api/client";

/** All environments that are protected at the time, whichever they are. */
export const PROTECTED = "@protected";

export const PLAIN = ["reader", "developer", "administrator", "owner"] as const;
export type Preset = "switch" | (typeof PLAIN)[number] | "own";

/** What edits flags and segments, and what goes with it. */
const EDIT = ["flag.*", "segment.*"];
const BESIDES = ["user.read", "user.write", "sdkKey.reveal", "change.review", "change.apply"];

/** The key of the policy of "may switch in `environment`, edit in the rest". */
export const switchKey = (environment: string) => `switch-${environment.replace("@", "")}`;

/**
 * The statements: switching in one environment, editing in the others that there are. They are
 * named, so that an environment that is made later is not open to edits by itself; by their mark
 * where that is what counts.
 */
export function switchStatements(
  environment: string,
  others: string[],
): Schemas["StatementInput"][] {
  const marked = environment === PROTECTED;
  const here = marked ? "project/*:env/*@protected" : `project/*:env/${environment}`;
  const rest = marked ? ["*@unprotected"] : others;
  const elsewhere = rest.map((it) => `project/*:env/${it}`);
  return [
    { effect: "allow", actions: ["flag.turnOn", "flag.turnOff"], resources: [`${here}:flag/*`] },
    ...(elsewhere.length > 0
      ? [{ effect: "allow" as const, actions: [...EDIT, ...BESIDES], resources: elsewhere }]
      : []),
    // What a flag is, and what segments say: what that changes elsewhere takes more.
    {
      effect: "allow",
      actions: EDIT,
      resources: ["project/*:flag/*", "project/*:segment/*"],
    },
    { effect: "allow", actions: ["change.comment"], resources: ["project/*"] },
  ];
}

/** Addresses as they are typed or pasted: between commas, spaces, lines, or as `Mia <mia@…>`. */
export function addressesOf(text: string): string[] {
  const found = text.split(/[\s,;<>]+/).filter((it) => it.includes("@"));
  return [...new Set(found)];
}

/** The environments of the organization by key, the most guarded first. */
export function environmentKeys(all: Schemas["EnvironmentView"][][]): string[] {
  const keys = new Set(all.flat().map((it) => it.key));
  return [...keys];
}

/** Where switching is what one may: where it is protected, else where it is called production. */
export function guessed(all: Schemas["EnvironmentView"][][]): string | undefined {
  const environments = all.flat();
  if (environments.some((it) => it.protected)) return PROTECTED;
  const named = environments.find((it) => /^prod/i.test(it.key));
  return (named ?? environments[0])?.key;
}
