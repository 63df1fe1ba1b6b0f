/** What policies say, in the reader's words: actions, resources, and the policies that everybody has. */
import type { TFunction } from "i18next";
import type { Schemas } from "./api/client";

export type Statement = Schemas["StatementInput"];

/** `flag.turnOn` → "turn flags on". What has no words stays as it is written. */
export function actionWords(t: TFunction, pattern: string): string {
  const [kind = "", verb = ""] = pattern.split(".");
  if (pattern === "*") return t("access.everything");
  if (pattern === "*.read") return t("access.seeAll");
  if (verb === "*") return t(`access.all.${kind}` as "access.all.flag", { defaultValue: pattern });
  return t(`may.${kind}.${verb}` as "may.flag.turnOn", { defaultValue: pattern });
}

interface Part {
  kind: string;
  key: string;
}

/** The parts of `project/web:env/prod:flag/*;payment`, and the tags behind them. */
export function partsOf(text: string): { parts: Part[]; tags: string[] } {
  const [path = "", tags = ""] = text.split(";");
  const parts = path.split(":").map((it) => {
    const [kind = "", ...key] = it.split("/");
    return { kind, key: key.join("/") };
  });
  return { parts, tags: tags === "" ? [] : tags.split(",") };
}

/** `project/*:env/prod:flag/*` → "all flags in prod of all projects". */
export function resourceWords(t: TFunction, list: (items: string[]) => string, text: string) {
  if (text === "*") return t("scope.everything");
  if (text === "organization") return t("scope.organization");
  const { parts, tags } = partsOf(text);
  const shape = parts.map((it) => it.kind).join(" ");
  const slots = Object.fromEntries(
    parts.map((it) => [it.kind, keyWords(t, it, it.kind === parts.at(-1)?.kind ? tags : [], list)]),
  );
  const known = {
    project: "scope.project",
    "project env": "scope.environment",
    "project flag": "scope.definition",
    "project env flag": "scope.flag",
    "project segment": "scope.projectSegment",
    "project env segment": "scope.segment",
  } as const;
  const sentence = known[shape as keyof typeof known];
  if (sentence) return t(sentence, slots as Record<"project" | "env" | "flag" | "segment", string>);
  return parts.length === 1 ? (slots[shape] ?? text) : text;
}

/** One part: all of its kind, those with tags, protected ones, or the one that is named. */
function keyWords(t: TFunction, part: Part, tags: string[], list: (items: string[]) => string) {
  const { kind, key } = part;
  const [name = "", protection] = key.split("@");
  if (name === "*" && protection !== undefined) {
    return t(`scope.all.${protection}` as "scope.all.protected", { defaultValue: key });
  }
  if (name === "*" && tags.length > 0) {
    return t(`scope.tagged.${kind}` as "scope.tagged.flag", {
      tags: list(tags),
      defaultValue: key,
    });
  }
  if (name === "*") return t(`scope.all.${kind}` as "scope.all.flag", { defaultValue: key });
  // Whether one that is named is protected, everybody can see.
  const tagged = tags.length > 0 ? `${name};${tags.join(",")}` : name;
  // In a path the kind is said by the sentence; alone it has to be said with the key.
  return t(`scope.one.${kind}` as "scope.one.member", { key: tagged, defaultValue: tagged });
}

const BUILT_IN = ["owner", "administrator", "developer", "reader"] as const;
type BuiltIn = (typeof BUILT_IN)[number];
const isBuiltIn = (key: string): key is BuiltIn => BUILT_IN.some((it) => it === key);

/** What a policy is called. */
export function policyName(t: TFunction, key: string, name?: string): string {
  return isBuiltIn(key) ? t(`builtIn.${key}.name`) : (name ?? key);
}

/** What it lets somebody do, in a sentence. */
export function policyHelp(t: TFunction, key: string, description: string): string {
  return isBuiltIn(key) ? t(`builtIn.${key}.may`) : description;
}
