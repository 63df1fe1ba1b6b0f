import { Hand } from "./hand.ts";
import { expect, flag, served, test } from "./test.ts";

const HOME = "/default/demo/flags";

test("a flag is created, on where that hurts nobody", async ({ owner, server, call }) => {
  await owner.goto(server.url + HOME);
  await expect(owner.getByRole("link", { name: /Theme/ })).toBeVisible();
  const hand = new Hand(owner);
  await hand.press("c");
  await expect(owner.getByLabel("Name", { exact: true })).toBeFocused();
  await hand.typeHere("New cart", "Enter");
  hand.needed("createAndTurnOn");
  await expect(owner.getByRole("heading", { name: "New cart" })).toBeVisible();
  await expect(owner.getByRole("switch", { name: "new-cart in dev" })).toBeChecked();
  expect(await served(call, "dev", "new-cart", { key: "ana" })).toBe("true");
});

test("one user gets a value by name", async ({ owner, server, call }) => {
  await flag(call, "by-name", ["dev"]);
  await call("POST", "/projects/demo/changes", {
    commands: [{ kind: "turnOn", flag: "by-name", environment: "prod" }],
  });
  await owner.goto(server.url + HOME);
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "by-name" }));
  await hand.type(owner.getByLabel("Users who get false in prod"), "ana", "Enter");
  await hand.click(owner.getByRole("button", { name: "Apply to prod" }));
  hand.needed("oneUser");
  await expect(owner.getByText(/prod is now version \d+/)).toBeVisible();
  expect(await served(call, "prod", "by-name", { key: "ana" })).toBe("false");
  expect(await served(call, "prod", "by-name", { key: "ben" })).toBe("true");
});

test("ten per cent, then fifty, and whoever has it keeps it", async ({ owner, server, call }) => {
  await flag(call, "slowly", ["prod"]);
  await owner.goto(server.url + HOME);
  let hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "slowly" }));
  await hand.type(
    owner
      .getByRole("region", { name: "Everybody else" })
      .getByLabel("Percent that get true")
      .last(),
    "10",
  );
  await hand.click(owner.getByRole("button", { name: "Apply to prod" }));
  hand.needed("tenPercent");
  await expect(owner.getByText(/prod is now version/)).toBeVisible();

  const keys = Array.from({ length: 200 }, (_, index) => `user-${index}`);
  const on = async () => {
    const got: string[] = [];
    // So many at once, as a busy program would: the connections to the database are not endless.
    for (let from = 0; from < keys.length; from += 20) {
      const some = keys.slice(from, from + 20);
      const asked = some.map((key) => served(call, "prod", "slowly", { key }));
      // oxlint-disable-next-line no-await-in-loop
      const answers = await Promise.all(asked);
      got.push(...some.filter((_, index) => answers[index] === "true"));
    }
    return got;
  };
  const ten = await on();
  await owner.goto(server.url + HOME);
  hand = new Hand(owner);
  await hand.click(owner.getByRole("button", { name: /slowly in prod/ }));
  await expect(owner.getByLabel("Percent that get true")).toBeFocused();
  await hand.typeHere("50", "Enter");
  hand.needed("tenToFifty");
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  const fifty = await on();
  expect(fifty.length).toBeGreaterThan(ten.length);
  expect(ten.filter((key) => !fifty.includes(key))).toEqual([]);
});

test("a rule by what users really send", async ({ owner, server, call }) => {
  await flag(call, "germany", ["prod"]);
  const german = (appVersion: string) => ({ key: "u", properties: { country: "de", appVersion } });
  const sent = ["2.1.0", "2.3.0", "2.4.1"].map((appVersion, index) =>
    JSON.stringify({ key: `u${index}`, properties: { country: "de", appVersion } }),
  );
  const cookie = await server.owner();
  const answer = await fetch(`${server.url}/api/v1/projects/demo/environments/prod/users`, {
    method: "POST",
    headers: { cookie, "content-type": "application/x-ndjson" },
    body: sent.join("\n"),
  });
  expect(answer.status).toBe(200);
  await owner.goto(server.url + HOME);
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "germany" }));
  await hand.click(owner.getByRole("button", { name: "Add a rule" }));
  const rule = owner.getByRole("listitem", { name: "Rule 1" });
  await expect(rule.getByLabel("Property")).toBeFocused();
  // The first letters, and Enter; the operator follows from what users have.
  await expect(rule.getByRole("option", { name: /country/ })).toBeVisible();
  await hand.typeHere("cou", "Enter");
  await expect(rule.getByLabel("Operator")).toHaveValue("is one of");
  await expect(rule.getByLabel("Value")).toBeFocused();
  // Users send it in small letters: so it is taken.
  await hand.typeHere("DE", "Enter");
  await expect(rule.getByRole("button", { name: "Remove de" })).toBeVisible();
  await hand.type(rule.getByLabel("add a condition"), "appv", "Enter");
  await expect(rule.getByLabel("Operator").last()).toHaveValue("version ≥");
  // Until both conditions are whole, nothing can be applied.
  await expect(owner.getByRole("button", { name: "Apply to prod" })).toHaveAttribute(
    "title",
    "A rule still lacks a value",
  );
  await expect(rule.getByLabel("Value").last()).toBeFocused();
  await hand.typeHere("2.3");
  await rule.getByLabel("Serves").selectOption({ label: "false" });
  await owner.getByRole("button", { name: "Review", exact: true }).click();
  const review = owner.getByRole("region", { name: "Changes that are not applied" });
  await expect(review).toContainText(
    "false where country is one of de and appVersion version ≥ 2.3",
  );
  await expect(review).toContainText("2 of 3 known users move from true to false");
  await hand.click(owner.getByRole("button", { name: "Apply to prod" }));
  hand.needed("ruleCountryAndVersion");
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  expect(await served(call, "prod", "germany", german("2.1.0"))).toBe("true");
  expect(await served(call, "prod", "germany", german("2.4.1"))).toBe("false");
});

test("off in two actions, and back", async ({ owner, server, call }) => {
  await flag(call, "burning", ["prod"]);
  await owner.goto(server.url + HOME);
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("button", { name: /burning in prod/ }));
  await hand.click(owner.getByRole("button", { name: "Turn off in prod" }));
  hand.needed("turnOff");
  await expect(owner.getByRole("button", { name: /burning in prod: Off/ })).toBeVisible();
  expect(await served(call, "prod", "burning", { key: "ana" })).toBe("false");
  await owner.getByRole("button", { name: "Undo" }).click();
  await expect(owner.getByRole("button", { name: /burning in prod: On/ })).toBeVisible();
});

test("a flag is switched from anywhere by its name", async ({ owner, server, call }) => {
  await flag(call, "kill-me", ["prod"]);
  await owner.goto(`${server.url}${HOME}/theme/prod`);
  await expect(owner.getByRole("heading", { name: "Theme" })).toBeVisible();
  await owner.keyboard.press("Control+k");
  await owner.getByRole("dialog").getByRole("combobox").fill("off kill-me prod");
  await expect(owner.getByRole("dialog").getByRole("option")).toHaveText(
    /Turn kill-me off in prod/,
  );
  await owner.keyboard.press("Enter");
  await owner.getByRole("button", { name: "Turn off in prod" }).click();
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  expect(await served(call, "prod", "kill-me", { key: "ana" })).toBe("false");
});

test("off from a phone", async ({ owner, server, call }) => {
  await flag(call, "in-the-train", ["prod"]);
  await owner.setViewportSize({ width: 360, height: 740 });
  await owner.goto(`${server.url}${HOME}?q=in-the-train`);
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("button", { name: /in-the-train in prod/ }));
  await hand.click(owner.getByRole("button", { name: "Turn off in prod" }));
  hand.needed("turnOffOnPhone");
  await expect(owner.getByRole("button", { name: /in-the-train in prod: Off/ })).toBeVisible();
});
