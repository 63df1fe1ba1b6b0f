/**
 * What is shown, as text for elsewhere: a link, a call of the API, lines for the command line. Only
 * what works as it stands is offered; the one thing to fill in is the token, `$BURGEE_TOKEN`.
 */
import { api, dataOf } from "./api/client";
import type { Edit } from "./draft/edit";

export const FORMATS = ["link", "curl", "cli", "json", "yaml"] as const;
export type Format = (typeof FORMATS)[number];

/** What there is to copy; what is left out is not offered. */
export interface Copied {
  organization: string;
  /** The address of a page that shows it: `/acme/web/flags?tag=shop`. */
  link?: string;
  /** A call that asks for it. */
  call?: Call;
  /** Commands that do it: one change set. */
  set?: { base?: Record<string, number>; commands: Edit[]; comment?: string };
  /** Flags as they stand: a file that makes them so, here or in another project. */
  flags?: { project: string; keys: string[] };
}

export interface Call {
  /** GET where there is no body, POST where there is. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
}

type Text = () => string | Promise<string>;

/** The texts that can be had, by format. */
export function textsOf(copied: Copied, server: string): Partial<Record<Format, Text>> {
  const { organization, link, set, flags } = copied;
  const call = copied.call ?? (set && { path: "/api/v1/changes", body: set });
  const body = call?.body;
  const texts: Partial<Record<Format, Text>> = {};
  if (link !== undefined) texts.link = () => new URL(link, server).href;
  if (call) texts.curl = () => curl(call, server);
  if (body !== undefined) texts.json = () => json(body);
  if (!flags) return texts;
  const file = () => fileOf(organization, flags);
  texts.cli = async () => cli(organization, yaml(await file()));
  texts.json ??= async () => json(await file());
  texts.yaml = async () => yaml(await file());
  return texts;
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** A call, for curl from 7.82 on. */
export function curl({ path, query = {}, body }: Call, server: string): string {
  const url = new URL(path, server);
  url.search = new URLSearchParams(query).toString();
  // A quote is the one thing that ends a text in quotes.
  const address = url.href.replaceAll("'", "%27");
  const head = `curl --fail-with-body --header "Authorization: Bearer $BURGEE_TOKEN" '${address}'`;
  return body === undefined ? `${head}\n` : `${head} --json @- <<'JSON'\n${json(body)}JSON\n`;
}

/** Lines for the machine that has the data: `burgee` finds it by `BURGEE_DATA_DIR` and the like. */
export function cli(organization: string, file: string): string {
  return `burgee apply --organization ${organization} --yes - <<'YAML'\n${file}YAML\n`;
}

interface ProjectFile {
  burgee: number;
  project: string;
  flags: Record<string, unknown>;
}

/** Those flags of a project's file. */
async function fileOf(
  organization: string,
  { project, keys }: { project: string; keys: string[] },
): Promise<ProjectFile> {
  const path = "/api/v1/projects/{project}/export";
  const params = { path: { project }, query: { format: "json" as const } };
  const answer = await api(organization).GET(path, { params });
  const whole = dataOf(answer) as ProjectFile;
  const meant = new Set(keys);
  const flags = Object.entries(whole.flags).filter(([key]) => meant.has(key));
  return { burgee: whole.burgee, project: whole.project, flags: Object.fromEntries(flags) };
}

/** Texts that YAML takes for nothing else without quotes. */
const PLAIN = /^[a-zA-Z][a-zA-Z0-9_./-]*$/;
const WORDS = /^(true|false|null|yes|no|on|off|y|n)$/i;

const scalar = (value: unknown) =>
  typeof value === "string" && PLAIN.test(value) && !WORDS.test(value)
    ? value
    : // JSON is YAML.
      JSON.stringify(value);

/** A value as YAML, as `burgee export` writes it. */
export function yaml(value: unknown, indent = ""): string {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((it) => `${indent}- ${below(it, `${indent}  `).trimStart()}`).join("");
  }
  if (value !== null && typeof value === "object" && Object.keys(value).length > 0) {
    const parts = Object.entries(value).filter(([, it]) => it !== undefined);
    return parts
      .map(([key, it]) => {
        const simple = typeof it !== "object" || it === null || Object.keys(it).length === 0;
        const gap = simple ? " " : "\n";
        return `${indent}${scalar(key)}:${gap}${simple ? below(it, "") : yaml(it, `${indent}  `)}`;
      })
      .join("");
  }
  return below(value, indent);
}

function below(value: unknown, indent: string): string {
  const simple = typeof value !== "object" || value === null || Object.keys(value).length === 0;
  return simple ? `${indent}${scalar(value)}\n` : yaml(value, indent);
}
