/** Members, groups, policies and tokens, with somebody in them. */
import type { Page } from "@playwright/test";
import { expect } from "../test.ts";
import { code } from "../totp.ts";
import { type Shown, heading } from "./shown.ts";

const SETTINGS = "/default/settings";
const PASSWORD = "sextant-compass-4";

async function call<T>(page: Page, method: string, route: string, data?: unknown): Promise<T> {
  const { origin } = new URL(page.url());
  const answer = await page.request.fetch(`${origin}/api/v1${route}`, { method, data });
  if (!answer.ok()) throw new Error(`${method} ${route}: ${await answer.text()}`);
  const text = await answer.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

interface Invited {
  policies: string[];
  groups?: string[];
}

const emailOf = (name: string) => `${name.toLowerCase().replaceAll(" ", ".")}@example.org`;

/** Without the cookies of the page: whoever follows a link is signed in. */
async function join(page: Page, name: string, invited: Invited) {
  const body = { email: emailOf(name), ...invited };
  const made = await call<{ link: string }>(page, "POST", "/invitations", body);
  const link = new URL(made.link).hash.slice(1);
  const answer = await fetch(`${new URL(page.url()).origin}/api/v1/links/follow`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ link, name, password: PASSWORD }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

const RELEASES = {
  key: "releases",
  name: "Release managers",
  description: "Turn things on in production, and nothing else there.",
  statements: [
    { effect: "allow", actions: ["*.read"], resources: ["project/*"] },
    {
      effect: "allow",
      actions: ["flag.turnOn", "flag.turnOff", "flag.setDefaultRule"],
      resources: ["project/demo:env/prod:flag/*", "project/*:env/*@unprotected"],
    },
    {
      effect: "deny",
      actions: ["flag.*"],
      resources: ["project/demo:env/prod:flag/*;payment,billing"],
    },
  ],
};

/** People, once a server. */
async function made(page: Page) {
  const { items } = await call<{ items: { key: string }[] }>(page, "GET", "/groups");
  if (items.length > 0) return;
  await call(page, "POST", "/policies", RELEASES);
  const core = { key: "core", name: "Core", description: "Who ships", policies: ["releases"] };
  await call(page, "POST", "/groups", core);
  const support = { key: "support", name: "Support", description: "", policies: ["reader"] };
  await call(page, "POST", "/groups", support);
  await join(page, "Aiko Tanaka", { policies: ["developer"], groups: ["core"] });
  await join(page, "Ben Okafor", { policies: ["releases"], groups: ["core", "support"] });
  await join(page, "Rita Nobody", { policies: [] });
  await call(page, "POST", "/invitations", { email: "mia@example.org", policies: ["developer"] });
  const statements = [
    { effect: "allow", actions: ["flag.read"], resources: ["project/demo:flag/*"] },
  ];
  const service = { kind: "service", name: "Deploy pipeline", networks: ["10.0.0.0/8"] };
  await call(page, "POST", "/tokens", { ...service, policies: ["releases"], statements });
  await call(page, "POST", "/tokens", { kind: "personal", name: "My laptop", expiresInDays: 90 });
}

/** Signs somebody else in, in this browser. */
async function as(page: Page, name: string) {
  await call(page, "POST", "/session", { email: emailOf(name), password: PASSWORD });
}

const shown = (
  name: string,
  where: string,
  ready: (page: Page) => Promise<void>,
  who?: string,
): Shown => ({
  name,
  path: `${SETTINGS}/appearance`,
  async ready(page) {
    await made(page);
    if (who !== undefined) await as(page, who);
    await page.goto(new URL(`${SETTINGS}/${where}`, page.url()).href);
    await ready(page);
  },
});

const dialogText = (page: Page, text: RegExp | string) =>
  expect(page.getByRole("dialog").getByText(text)).toBeVisible();

export const people: Shown[] = [
  shown("people-members", "members", (page) =>
    expect(page.getByRole("link", { name: "Aiko Tanaka" })).toBeVisible(),
  ),
  shown("people-member", "members?q=aiko", async (page) => {
    await page.getByRole("link", { name: "Aiko Tanaka" }).click();
    await expect(page.getByText(/Aiko Tanaka may turn flags on/)).toBeVisible();
  }),
  shown("people-invited", "members", async (page) => {
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByLabel("E-mails").fill("zoe@example.org");
    await page.getByRole("button", { name: "Invite and copy the link" }).click();
    await dialogText(page, "zoe@example.org");
    const { items } = await call<{ items: { id: string; email: string }[] }>(
      page,
      "GET",
      "/invitations",
    );
    const open = items.filter((it) => it.email === "zoe@example.org");
    await Promise.all(open.map((it) => call(page, "DELETE", `/invitations/${it.id}`)));
  }),
  shown("people-groups", "groups", (page) =>
    expect(page.getByRole("link", { name: "Core" })).toBeVisible(),
  ),
  shown("people-group", "groups/core", (page) =>
    expect(page.getByRole("link", { name: "Ben Okafor" })).toBeVisible(),
  ),
  shown("people-policies", "policies", (page) =>
    expect(page.getByRole("link", { name: "Release managers" })).toBeVisible(),
  ),
  shown("people-policy", "policies/releases", async (page) => {
    await heading("Release managers")(page);
    await expect(page.getByText(/Ben Okafor may turn flags on/)).toBeVisible();
  }),
  shown("people-policy-tried", "policies/releases", async (page) => {
    await page.getByRole("button", { name: "Remove statement 2" }).click();
    await expect(page.getByText(/Ben Okafor may not turn flags on/)).toBeInViewport();
  }),
  shown("people-tokens", "tokens", (page) =>
    expect(page.getByText("Deploy pipeline")).toBeVisible(),
  ),
  shown("people-token-new", "tokens", async (page) => {
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Terraform");
    await page.getByLabel("Acts as").selectOption("service");
    await page.getByRole("button", { name: "Add a statement" }).click();
    await page.getByLabel("Actions of statement 1").fill("flag.read");
    await page.getByLabel("Actions of statement 1").press("Enter");
    await page.getByLabel("Resources of statement 1").fill("project/demo");
    await page.getByLabel("Resources of statement 1").press("Enter");
    await expect(page.getByRole("button", { name: "Remove see flags" })).toBeVisible();
  }),
  shown("people-token-made", "tokens", async (page) => {
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Once");
    await page.getByRole("button", { name: "Create the token" }).click();
    await dialogText(page, /^bg/);
  }),
  {
    name: "people-recovery-codes",
    path: `${SETTINGS}/appearance`,
    async ready(page) {
      // Somebody new each time: with a second factor a password alone signs nobody in.
      const name = `Tina ${Date.now()}`;
      await join(page, name, { policies: ["reader"] });
      await as(page, name);
      await page.goto(new URL(`${SETTINGS}/security`, page.url()).href);
      await page.getByRole("button", { name: "Set up a second factor" }).click();
      const seed = (await page.getByText(/^([A-Z2-7]{4} ?)+$/).textContent()) ?? "";
      await page.getByLabel("Code of the app").fill(code(seed.replaceAll(" ", "")));
      await page.getByLabel("Current password").first().fill(PASSWORD);
      await page.getByRole("button", { name: "Turn on the second factor" }).click();
      await expect(page.getByRole("list", { name: "Recovery codes" })).toBeVisible();
    },
  },
  shown(
    "people-no-permission",
    "members",
    (page) => expect(page.getByRole("alert")).toContainText("member.read"),
    "Rita Nobody",
  ),
  shown(
    "people-no-permission-general",
    "general",
    (page) => expect(page.getByRole("alert")).toContainText("organization.read"),
    "Rita Nobody",
  ),
];
