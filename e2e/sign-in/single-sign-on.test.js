// Single sign-on against a real provider.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { Person } from "../harness/person.js";
import { Provider } from "../harness/provider.js";
import { Server } from "../harness/server.js";

const ann = { email: "ann@example.com", email_verified: true, name: "Ann" };

let server;
let provider;
before(async () => {
  server = await Server.start();
  provider = await Provider.start(`${server.url}/api/v1/session/oidc`);
  const group = { key: "pilots", name: "Pilots", policies: ["developer"] };
  await server.api("POST", "/groups", group);
  await set({});
});
after(async () => {
  await provider.stop();
  await server.stop();
});
afterEach(() => (provider.tamper = null));

/** Sets how members of the organization sign in. */
function set(more) {
  return server.api("PUT", "/organization/sign-in", {
    issuer: provider.issuer,
    clientId: provider.client.id,
    clientSecret: provider.client.secret,
    claims: { groups: "groups" },
    groups: [{ value: "Ops", group: "pilots" }],
    domains: ["example.com"],
    newcomers: { policies: ["reader"] },
    ...more,
  });
}

async function member(name) {
  const found = await server.api("GET", `/members?search=${name}`);
  return found.items[0];
}

/** The answer to a browser that is refused, with its code. */
async function refused(response, status, code) {
  const problem = await response.json();
  assert.equal(response.status, status, JSON.stringify(problem));
  assert.equal(problem.code, code);
  assert.equal(response.headers.getSetCookie().filter((it) => /^burgee=/.test(it)).length, 0);
}

test("who comes the first time joins, and goes where they wanted to", async () => {
  provider.people.ann = { ...ann, groups: ["Ops", "Else"] };
  const person = new Person();
  const response = await person.signIn(server, "ann", { returnTo: "/flags?tag=a" });
  assert.equal(response.status, 303, await response.text());
  assert.equal(response.headers.get("location"), `${server.url}/flags?tag=a`);
  const session = response.headers.getSetCookie().find((it) => it.startsWith("burgee="));
  for (const part of ["HttpOnly", "SameSite=Lax"]) assert.match(session, new RegExp(part));
  const me = await person.api(server, "GET", "/session");
  assert.equal(me.body.email, "ann@example.com");
  assert.equal((await person.api(server, "GET", "/projects")).status, 200);
  const { name, policies, groups } = await member("ann");
  assert.deepEqual(
    { name, policies, groups },
    { name: "Ann", policies: ["reader"], groups: ["pilots"] },
  );
});

test("groups follow the provider at each sign-in", async () => {
  provider.people.gil = { email: "gil@example.com", email_verified: true, groups: ["Ops"] };
  await new Person().signIn(server, "gil");
  assert.deepEqual((await member("gil")).groups, ["pilots"]);
  provider.people.gil.groups = [];
  await new Person().signIn(server, "gil");
  assert.deepEqual((await member("gil")).groups, []);
});

test("a key that was rotated is looked for at the provider, whatever its algorithm", async () => {
  provider.people.ann = ann;
  for (const algorithm of ["ES256"]) {
    await provider.rotate(algorithm);
    const response = await new Person().signIn(server, "ann");
    assert.equal(response.status, 303, await response.text());
  }
});

describe("nobody gets in", () => {
  before(() => (provider.people.ann = ann));

  const tampered = {
    "with another sign-in's nonce": (claims) => ({ ...claims, nonce: "another" }),
    "with a token for somebody else": (claims) => ({ ...claims, aud: "another" }),
    "with another provider's token": (claims) => ({ ...claims, iss: "https://evil.org" }),
    "with a token that has ended": (claims) => ({ ...claims, exp: claims.exp - 86_400 }),
  };
  for (const [how, tamper] of Object.entries(tampered)) {
    test(how, async () => {
      provider.tamper = tamper;
      await refused(await new Person().signIn(server, "ann"), 401, "idTokenInvalid");
    });
  }

  test("with a code that was used", async () => {
    const person = new Person();
    const back = await person.atProvider(server, "ann");
    const again = person.copy();
    assert.equal((await person.ask(back)).status, 303);
    await refused(await again.ask(back), 401, "signInRefused");
    await refused(await person.ask(back), 401, "signInExpired");
  });

  test("in another browser than the one that began, or with another state", async () => {
    const person = new Person();
    const back = new URL(await person.atProvider(server, "ann"));
    await refused(await new Person().ask(back.href), 401, "signInExpired");
    back.searchParams.set("state", "another");
    await refused(await person.ask(back.href), 401, "signInExpired");
  });

  test("with the answer of another provider (RFC 9207)", async () => {
    const person = new Person();
    const back = new URL(await person.atProvider(server, "ann"));
    back.searchParams.set("iss", "https://evil.org");
    await refused(await person.ask(back.href), 401, "signInRefused");
  });

  test("whose address the provider did not make sure of, or of another domain", async () => {
    provider.people.eve = { email: "ann@example.com", email_verified: false };
    await refused(await new Person().signIn(server, "eve"), 403, "emailNotVerified");
    provider.people.mallory = { email: "mallory@evil.org", email_verified: true };
    await refused(await new Person().signIn(server, "mallory"), 403, "notAMember");
    provider.people.bob = { ...ann, name: "Bob" };
    await refused(await new Person().signIn(server, "bob"), 403, "linkedToAnother");
  });

  test("and a browser is told by a page", async () => {
    const person = new Person();
    const back = new URL(await person.atProvider(server, "ann"));
    back.searchParams.set("state", "another");
    const response = await person.ask(back.href, { headers: { accept: "text/html,*/*" } });
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), `${server.url}/sign-in?error=signInExpired`);
  });

  test("to somewhere else afterwards", async () => {
    for (const returnTo of ["https://evil.org", "//evil.org", "/\\evil.org"]) {
      const start = new URL(`${server.url}/api/v1/session/oidc/default`);
      start.searchParams.set("returnTo", returnTo);
      assert.equal((await fetch(start, { redirect: "manual" })).status, 400, returnTo);
    }
  });
});

test("who is invited comes in by the provider, with what they were given", async () => {
  provider.people.ida = { email: "Ida@partner.org", email_verified: true };
  await server.api("POST", "/invitations", { email: "ida@partner.org", policies: ["developer"] });
  assert.equal((await new Person().signIn(server, "ida")).status, 303);
  assert.deepEqual((await member("ida")).policies, ["developer"]);
});

test("passwords off: the provider's sessions go on, those of passwords do not, owners' do", async () => {
  const join = async (email, policy) => {
    const made = await server.api("POST", "/invitations", { email, policies: [policy] });
    const person = new Person();
    const link = made.link.split("#")[1];
    const followed = { link, password: "correct horse battery" };
    await person.api(server, "POST", "/links/follow", followed);
    return person;
  };
  const reader = await join("ria@example.com", "reader");
  const owner = await join("olga@example.com", "owner");
  const status = async (person) => (await person.api(server, "GET", "/projects")).status;
  assert.equal(await status(reader), 200);
  // The secret stays, since provider and client do.
  await set({ passwords: "off", clientSecret: undefined });
  provider.people.ria = { email: "ria@example.com", email_verified: true };
  assert.equal((await reader.api(server, "GET", "/projects")).body.code, "singleSignOnNeeded");
  assert.equal(await status(owner), 200, "somebody can mend it");
  const byProvider = new Person();
  await byProvider.signIn(server, "ria");
  assert.equal(await status(byProvider), 200);
  await set({});
  assert.equal(await status(reader), 200);
});

test("the secret is never shown, and another provider is not told it", async () => {
  const shown = await set({});
  assert.equal(shown.hasClientSecret, true);
  assert.equal(shown.redirectUri, `${server.url}/api/v1/session/oidc`);
  const { items } = await server.api("GET", "/changes?limit=100");
  const everywhere = JSON.stringify([
    shown,
    items,
    await server.api("GET", "/organization/sign-in"),
  ]);
  assert.ok(!everywhere.includes(provider.client.secret));
  const moved = await set({ issuer: "https://id.example.com", clientSecret: undefined });
  assert.equal(moved.hasClientSecret, false);
  await set({});
  await server.api("DELETE", "/organization/sign-in");
  const over = await fetch(`${server.url}/api/v1/session/oidc/default`, { redirect: "manual" });
  assert.equal(over.status, 404);
});
