import { expect, it } from "vitest";
import { NO_PROVIDER, readProvider, writeProvider } from "./provider";

const view = {
  issuer: "https://id.acme.io",
  clientId: "burgee",
  hasClientSecret: true,
  redirectUri: "https://flags.acme.io/api/v1/session/oidc",
  scopes: ["email", "profile", "groups"],
  claims: { email: "mail", emailVerified: "xms_edov", groups: "roles", name: "name" },
  domains: ["acme.io"],
  groups: [{ value: "cn=core,ou=eng", group: "core" }],
  newcomers: { policies: ["reader"], groups: [] },
  passwords: "off" as const,
};

it("what is shown and saved again is the same, the secret apart", () => {
  const { redirectUri: _, hasClientSecret: __, ...same } = view;
  expect(writeProvider(readProvider(view), view)).toEqual(same);
});

it("a first provider is what is typed", () => {
  const form = {
    ...NO_PROVIDER,
    issuer: " https://id.acme.io ",
    clientId: "burgee",
    clientSecret: "s",
    domains: "acme.io, acme.com",
    groups: "eng = core\n\nops",
  };
  expect(writeProvider(form, undefined)).toEqual({
    issuer: "https://id.acme.io",
    clientId: "burgee",
    clientSecret: "s",
    claims: { email: "email", emailVerified: "email_verified", groups: null, name: "name" },
    domains: ["acme.io", "acme.com"],
    // Without a group: refused by the server, which names the line.
    groups: [
      { value: "eng", group: "core" },
      { value: "ops", group: "" },
    ],
    newcomers: { policies: [], groups: [] },
    passwords: "allowed",
  });
});
