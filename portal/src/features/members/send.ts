import { Refused, api, dataOf } from "@/lib/api/client";
import type { Outcome } from "./invited";
import { type Preset, switchKey, switchStatements } from "./presets";

interface Invitations {
  emails: string[];
  preset: Preset;
  /** Where they may switch, for the preset of that name. */
  environment: string | undefined;
  /** The other environments. */
  others: string[];
  /** What was chosen by hand. */
  granted: { policies: string[]; groups: string[] };
  /** Keys of the policies that there are. */
  known: string[];
  /** What a policy that has to be made is called. */
  words: { name: string; description: string };
}

/** Invites everybody who is named, and copies the links. Who cannot be invited keeps nobody else out. */
export async function invite(organization: string, asked: Invitations): Promise<Outcome[]> {
  const { preset, environment, granted } = asked;
  let grants = { policies: [preset as string], groups: [] as string[] };
  if (preset === "own") grants = granted;
  if (preset === "switch" && environment !== undefined) {
    grants = {
      policies: ["reader", await switchPolicy(organization, environment, asked)],
      groups: [],
    };
  }
  const outcomes: Outcome[] = [];
  for (const email of asked.emails) outcomes.push(await one(organization, email, grants));
  const links = outcomes.flatMap((it) => (it.link === undefined ? [] : [it.link]));
  const copied = links.length > 0 && (await copy(links.join("\n")));
  return outcomes.map((it) => ({ ...it, copied }));
}

async function one(
  organization: string,
  email: string,
  grants: { policies: string[]; groups: string[] },
): Promise<Outcome> {
  try {
    const body = { email, ...grants };
    const made = dataOf(await api(organization).POST("/api/v1/invitations", { body }));
    return { email, link: made.link ?? undefined, mailed: made.mailed ?? false, copied: false };
  } catch (error) {
    return { email, mailed: false, copied: false, error };
  }
}

/** The policy of the preset: made by whoever invites with it first. */
async function switchPolicy(
  organization: string,
  environment: string,
  { known, others, words }: Invitations,
): Promise<string> {
  const key = switchKey(environment);
  if (known.includes(key)) return key;
  const body = { key, ...words, statements: switchStatements(environment, others) };
  try {
    await api(organization).POST("/api/v1/policies", { body });
  } catch (error) {
    // Who may not see policies cannot know that it is there.
    if (!(error instanceof Refused) || error.problem?.code !== "taken") throw error;
  }
  return key;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
