import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { contextOf, whatOf } from "@/lib/acts";
import { useFormat } from "@/lib/format";
import { DiffLine } from "./diff-lines";
import { Sentence } from "./sentence";

/** What is a key, and so never translated. */
const KEYS = [
  "project",
  "environment",
  "environments",
  "before",
  "group",
  "groups",
  "policy",
  "policies",
  "property",
];

/**
 * What was done, in the reader's words: to flags and segments, or as administration. Needs the words
 * of `acts`.
 */
export function ActLine({ line }: { line: Schemas["DiffLine"] }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const { code, params } = line;
  const context = contextOf(line);
  const text = t(`act.${code}` as "act.createProject", {
    ...(context === undefined ? {} : { context }),
    defaultValue: "",
  });
  if (text === "") return <DiffLine line={line} />;
  const parts = Object.entries(params).map(([name, value]) => {
    if (KEYS.includes(name)) return [name, value === "" ? "–" : <code key={name}>{value}</code>];
    if (name === "type") {
      return [name, t(value === "client" ? "actPart.keyKinds.client" : "actPart.keyKinds.server")];
    }
    return [name, value];
  });
  return (
    <Sentence text={text} parts={{ ...Object.fromEntries(parts), what: whatOf(t, list, line) }} />
  );
}
