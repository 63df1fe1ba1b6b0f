/** The provider as a form has it, and as the API does. */
import type { Schemas } from "@/lib/api/client";

export interface Provider {
  issuer: string;
  clientId: string;
  /** Never told: empty, the one before stays. */
  clientSecret: string;
  domains: string;
  /** `value = group`, a line each. */
  groups: string;
  groupsClaim: string;
  newcomers: { policies: string[]; groups: string[] };
  passwords: Schemas["Passwords"];
}

/** As the standard has them. */
const CLAIMS = { email: "email", emailVerified: "email_verified", groups: null, name: "name" };

export const NO_PROVIDER: Provider = {
  issuer: "",
  clientId: "",
  clientSecret: "",
  domains: "",
  groups: "",
  groupsClaim: "",
  newcomers: { policies: [], groups: [] },
  passwords: "allowed",
};

export function readProvider(view: Schemas["SignInView"]): Provider {
  const { newcomers } = view;
  return {
    issuer: view.issuer,
    clientId: view.clientId,
    clientSecret: "",
    domains: view.domains.join(", "),
    groups: view.groups.map((it) => `${it.value} = ${it.group}`).join("\n"),
    groupsClaim: view.claims.groups ?? "",
    newcomers: { policies: newcomers.policies ?? [], groups: newcomers.groups ?? [] },
    passwords: view.passwords,
  };
}

/** What is sent; what the form does not show stays as it was. */
export function writeProvider(
  form: Provider,
  before: Schemas["SignInView"] | undefined,
): Schemas["NewSignIn"] {
  const claims = before?.claims ?? CLAIMS;
  const groupsClaim = form.groupsClaim.trim();
  return {
    issuer: form.issuer.trim(),
    clientId: form.clientId.trim(),
    ...(form.clientSecret === "" ? {} : { clientSecret: form.clientSecret }),
    claims: { ...claims, groups: groupsClaim === "" ? null : groupsClaim },
    ...(before ? { scopes: before.scopes } : {}),
    domains: form.domains.split(/[\s,;]+/).filter(Boolean),
    groups: mapped(form.groups),
    newcomers: form.newcomers,
    passwords: form.passwords,
  };
}

/** `everyone at core = core`: the last `=` divides, since a group's key has none. */
function mapped(text: string): Schemas["MappedGroup"][] {
  const lines = text.split("\n").filter((it) => it.trim() !== "");
  return lines.map((line) => {
    const at = line.lastIndexOf("=");
    const value = at < 0 ? line : line.slice(0, at);
    return { value: value.trim(), group: at < 0 ? "" : line.slice(at + 1).trim() };
  });
}
