/** Acts of administration in the reader's words: their codes, and what the codes come with. */
import type { TFunction } from "i18next";
import type { Schemas } from "./api/client";

type Line = Schemas["DiffLine"];
type Params = Readonly<Record<string, string | undefined>>;

/** Which of its templates says an act, where it has several. */
export function contextOf({ code, params }: Line): string | undefined {
  const { days, before, entries, environments, passwords, leftOut } = params as Params;
  switch (code) {
    case "updateOrganization":
      return params["secondFactorRequired"] === "true" ? "second" : undefined;
    case "signIn":
      return params["secondFactor"] === "true" ? "second" : undefined;
    case "setStaleDays":
      return days === "default" ? "default" : undefined;
    case "setAuditRetention":
      return days === "" ? "default" : undefined;
    case "moveEnvironment":
      return before ? undefined : "end";
    case "exportAudit":
      return entries === "all" ? undefined : "some";
    case "setSignIn":
      return passwords === "off" ? "off" : undefined;
    case "createRelayKey":
    case "updateRelayKey":
      return environments === "all" ? "all" : undefined;
    case "signInFailed":
      return leftOut ? "more" : undefined;
    default:
      return undefined;
  }
}

/** What became of an environment or its rules, as one phrase. */
export function whatOf(t: TFunction, list: (items: string[]) => string, line: Line): string {
  if (line.code === "setEnvironmentRules") return list(rulesIn(t, list, line.params["rules"]));
  const { name, description, colour, protected: mark } = line.params as Params;
  const done = [
    name === undefined ? "" : t("actPart.name", { name }),
    description === undefined ? "" : t("actPart.description"),
    colour === undefined ? "" : t("actPart.colour", { colour }),
    mark === undefined
      ? ""
      : t(mark === "true" ? "actPart.protected_true" : "actPart.protected_false"),
  ];
  return list(done.filter(Boolean));
}

/** What an environment asks, in phrases. */
export function rulesWords(
  t: TFunction,
  list: (items: string[]) => string,
  { comment, approvals }: Schemas["EnvironmentRules"],
): string[] {
  const required = approvals?.required ?? 0;
  const groups = approvals?.reviewers?.groups ?? [];
  const words = [
    comment === "required" ? t("actPart.commentRequired") : "",
    required > 0 && groups.length === 0 ? t("actPart.approvals", { count: required }) : "",
    required > 0 && groups.length > 0
      ? t("actPart.approvalsOf", { count: required, groups: list(groups) })
      : "",
    required > 0 && approvals?.exempt?.includes("turnOff") ? t("actPart.exempt") : "",
  ].filter(Boolean);
  return words.length > 0 ? words : [t("actPart.nothing")];
}

function rulesIn(t: TFunction, list: (items: string[]) => string, text: string | undefined) {
  try {
    return rulesWords(t, list, JSON.parse(text ?? "{}") as Schemas["EnvironmentRules"]);
  } catch {
    // Cut off in the log: it is named all the same.
    return [];
  }
}
