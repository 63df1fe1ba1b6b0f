import { Hand } from "./hand.ts";
import type { Server } from "./server.ts";
import { enter, expect, flag, served, test } from "./test.ts";

const HOME = "/default/demo/flags";

/** A flag that is on for a tenth of Germany, and users who were seen in prod. */
async function tenth(call: Parameters<typeof flag>[0], key: string) {
  await flag(call, key, ["prod"]);
  const { variations } = await call<{ variations: { id: string; value: string }[] }>(
    "GET",
    `/projects/demo/flags/${key}`,
  );
  const of = (value: string) => variations.find((it) => it.value === value)?.id ?? "";
  const place = { flag: key, environment: "prod" };
  const rule = {
    name: "Germany",
    conditions: [{ property: "country", op: "IsOneOf", value: '["de","at"]' }],
    variations: [
      { id: of("true"), rollout: [0, 0.1] },
      { id: of("false"), rollout: [0.1, 1] },
    ],
  };
  await call("POST", "/projects/demo/changes", {
    commands: [
      { kind: "setDefaultRule", ...place, variation: of("false") },
      { kind: "addRule", ...place, rule },
    ],
  });
}

async function seen(server: Server, users: object[], environment = "prod") {
  const cookie = await server.owner();
  const address = `${server.url}/api/v1/projects/demo/environments/${environment}/users`;
  const answer = await fetch(address, {
    method: "POST",
    headers: { cookie, "content-type": "application/x-ndjson" },
    body: users.map((it) => JSON.stringify(it)).join("\n"),
  });
  expect(await answer.json()).toMatchObject({ written: users.length, errors: [] });
}

test("why somebody gets what they get, in two actions", async ({ owner, server, call }) => {
  await tenth(call, "why-tenth");
  await seen(server, [{ key: "ana", name: "Ana", properties: { country: "de", plan: "" } }]);
  await owner.goto(server.url + HOME);
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "why-tenth" }));
  await hand.type(owner.getByRole("combobox", { name: "User", exact: true }), "ana", "Enter");
  hand.needed("why");
  const why = owner.getByRole("region", { name: "Who gets what, and why" });
  await expect(why).toContainText(
    /Ana gets B?false: rule 1 \(Germany\) matches, but they fall at [\d.]+%, outside 0% – 10% for A?true\./,
  );
  // Since which change: the one that made the rule, and not the one that made the flag.
  await expect(why).toContainText(/Since version \d+, .*Before that they got A?true\./);
  const steps = why.getByRole("list", { name: "Step by step" });
  await expect(steps).toContainText("country is one of de and at has de");
  await expect(steps).toContainText("not reached");
  // What was sent empty is not what was never sent.
  await expect(why).toContainText("planempty text");
  expect(new URL(owner.url()).pathname).toBe(`${HOME}/why-tenth/prod/why`);
});

test("the answer follows the flag, one's edits, and the past", async ({ owner, server, call }) => {
  await tenth(call, "why-moves");
  await seen(server, [{ key: "ana", name: "Ana", properties: { country: "de" } }]);
  await owner.goto(`${server.url}${HOME}/why-moves/prod/why?user=ana`);
  const why = owner.getByRole("region", { name: "Who gets what, and why" });
  await expect(why).toContainText("Ana gets Bfalse");
  await why.getByRole("button", { name: "Serve ana true" }).click();
  await expect(why).toContainText("After your edits");
  await expect(why).toContainText("Ana gets Atrue: they are an individual target.");
  await why.getByLabel("In which state").selectOption({ label: "After your edits" });
  await expect(why.getByRole("heading", { name: /after your edits/ })).toBeVisible();
  await expect(why).toContainText("named: decides");
  await owner.getByRole("button", { name: "Apply to prod" }).click();
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  await expect(why).not.toContainText("After your edits");
  await expect(why).toContainText("Ana gets Atrue: they are an individual target.");
  expect(await served(call, "prod", "why-moves", { key: "ana" })).toBe("true");

  // Somebody else turns it off: it is said without asking again.
  const off = await call<{ versions: Record<string, number> }>("POST", "/projects/demo/changes", {
    commands: [{ kind: "turnOff", flag: "why-moves", environment: "prod" }],
  });
  await expect(why).toContainText("Ana gets Bfalse: the flag is off in prod.");

  // As it was before that, and before it was made.
  const versions = why.getByLabel("In which state");
  const past = versions.locator("option");
  await expect(past.nth(1)).toHaveAttribute("value", `${off.versions["demo/prod"]}`);
  const before = await past.nth(2).getAttribute("value");
  await versions.selectOption(before);
  await expect(why).toContainText("Ana gets Atrue: they are an individual target.");
  expect(new URL(owner.url()).searchParams.get("version")).toBe(before);
  await owner.goto(`${server.url}${HOME}/why-moves/prod/why?user=ana&version=0`);
  await expect(why).toContainText("the flag is not released in prod");
});

test("somebody who was never seen, with properties to try", async ({ owner, server, call }) => {
  await tenth(call, "why-stranger");
  await owner.goto(`${server.url}${HOME}/why-stranger/prod`);
  await owner.getByRole("combobox", { name: "User", exact: true }).fill("nobody-42");
  await owner.getByRole("combobox", { name: "User", exact: true }).press("Enter");
  const why = owner.getByRole("region", { name: "Who gets what, and why" });
  await expect(why).toContainText("No user with this key is known in prod");
  await expect(why).toContainText("never sent");
  await why.getByRole("button", { name: "Try other properties" }).click();
  await why.getByLabel("Property", { exact: true }).fill("country");
  await why.getByLabel("Value of country").fill("at");
  await expect(why).toContainText(/rule 1 \(Germany\) matches/);
  // The address has it all.
  await owner.reload();
  await expect(why).toContainText(/rule 1 \(Germany\) matches/);
  await why.getByRole("button", { name: "Edit rule 1" }).click();
  await expect(owner.getByLabel("Name of the rule")).toBeFocused();
  await expect(why.getByRole("link", { name: "dev" })).toBeVisible();
});

test("what programs send does not break the page", async ({ owner, server, call }) => {
  await owner.setViewportSize({ width: 360, height: 740 });
  await tenth(call, "why-odd");
  const key = "<b>odd</b>/../?#%20";
  const properties = {
    "<img src=x onerror=alert(1)>": "<script>alert(1)</script>",
    اسم: "قيمة طويلة",
    long: "x".repeat(1_000),
    country: "fr\n  de",
  };
  await seen(server, [{ key, name: "‮evil", properties }]);
  await owner.goto(`${server.url}${HOME}/why-odd/prod/why?user=${encodeURIComponent(key)}`);
  const why = owner.getByRole("region", { name: "Who gets what, and why" });
  await expect(why).toContainText("<script>alert(1)</script>");
  await expect(why).toContainText("no rule takes them");
  const width = await owner.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(360);
});

test("as it was at a moment", async ({ owner, server, call }) => {
  await tenth(call, "why-moment");
  await owner.goto(`${server.url}${HOME}/why-moment/prod/why?user=ana`);
  const why = owner.getByRole("region", { name: "Who gets what, and why" });
  await why.getByLabel("In which state").selectOption({ label: "At a moment …" });
  await why.getByLabel("Moment", { exact: true }).fill("2020-02-29T12:00");
  await expect(why).toContainText("the flag is not released in prod");
  expect(new URL(owner.url()).searchParams.get("version")).toBe("0");
});

test("who may not see users is told so, and by whom it is given", async ({
  browser,
  server,
  call,
}) => {
  await flag(call, "why-not", ["prod"]);
  const email = "ruth@example.org";
  const policies = ["reader"];
  const made = await call<{ link: string }>("POST", "/invitations", { email, policies });
  const link = new URL(made.link).hash.slice(1);
  const password = "sextant-compass-4";
  await server.call("", "POST", "/links/follow", { link, name: "Ruth", password });
  const context = await browser.newContext();
  await enter(context, server, await server.signIn(email, password));
  const page = await context.newPage();
  await page.goto(`${server.url}${HOME}/why-not/prod/why?user=ana`);
  const lacks = /You lack the permission user.read on project\/demo:env\/prod/;
  await expect(page.getByRole("region", { name: "Who gets what, and why" })).toContainText(lacks);
  await page.goto(`${server.url}/default/demo/users/prod`);
  await expect(page.getByRole("alert")).toContainText(lacks);
  await context.close();
});

test("two versions are compared by who gets something else", async ({ owner, server, call }) => {
  await flag(call, "moves-most", ["dev"]);
  await flag(call, "moves-none", ["dev"]);
  const users = ["ana", "ben", "cleo"].map((key) => ({ key, name: key }));
  await seen(server, users, "dev");
  const versionAfter = async (command: object) => {
    const { versions } = await call<{ versions: Record<string, number> }>(
      "POST",
      "/projects/demo/changes",
      { comment: "for the comparison", commands: [{ environment: "dev", ...command }] },
    );
    return versions["demo/dev"] ?? 0;
  };
  const { variations } = await call<{ variations: { id: string; value: string }[] }>(
    "GET",
    "/projects/demo/flags/moves-most",
  );
  const off = variations.find((it) => it.value === "false")?.id ?? "";
  const set = { kind: "setTargets", flag: "moves-most", variation: off };
  const two = await versionAfter({ ...set, keys: ["ana", "ben"] });
  const none = await versionAfter({ kind: "turnOff", flag: "moves-none" });
  const back = await versionAfter({ kind: "turnOn", flag: "moves-none" });
  expect(back).toBe(none + 1);

  await owner.goto(`${server.url}/default/demo/history/dev/${two}`);
  const moved = owner.getByRole("region", { name: "Who gets something else" });
  await expect(moved).toContainText(`From version ${two - 1} to version ${two}, of 3 users`);
  await expect(moved).toContainText("moves-most2 users move from true to false");
  await owner.goto(`${server.url}/default/demo/history/dev/${back}`);
  await expect(moved).toContainText("3 users move from false to true");
  await moved.getByLabel("Compared with").selectOption({ value: String(two) });
  // What was taken back meanwhile moves nobody.
  const nothing = `No flag answers differently at version ${back} than at version ${two}.`;
  await expect(moved).toContainText(nothing);
  await expect(owner).toHaveURL(new RegExp(`/${back}\\?with=${two}$`));
  await owner.reload();
  await expect(moved.getByLabel("Compared with")).toHaveValue(String(two));
});
