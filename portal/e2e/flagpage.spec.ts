import { write } from "./editor.ts";
import { Hand } from "./hand.ts";
import { expect, flag, served, test } from "./test.ts";

const HOME = "/default/demo/flags";

test("off where approval is asked for: the reason, and no second page", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "guarded-fire", ["dev"]);
  const rules = "/projects/demo/environments/dev/rules";
  await call("PUT", rules, { comment: "required", approvals: { required: 1 } });
  try {
    await owner.goto(server.url + HOME);
    const hand = new Hand(owner);
    await hand.click(owner.getByRole("button", { name: /guarded-fire in dev/ }));
    await hand.type(owner.getByLabel("Reason, for everybody to see"), "It burns");
    await hand.click(owner.getByRole("button", { name: "Turn off in dev without approval" }));
    hand.needed("turnOffProtected");
    await expect(owner.getByRole("button", { name: /guarded-fire in dev: Off/ })).toBeVisible();
    expect(await served(call, "dev", "guarded-fire", { key: "ana" })).toBe("false");
    // And the flag says who did it, and why.
    await owner.goto(`${server.url}${HOME}/guarded-fire/dev`);
    await expect(owner.getByText("It burns")).toBeVisible();
    await owner.getByRole("button", { name: "Turn on again" }).click();
    await expect(owner.getByRole("dialog")).toContainText("without approval");
  } finally {
    await call("PUT", rules, { approvals: { required: 0 } });
  }
});

test("a hundred thousand targets are a list that is searched", async ({ owner, server, call }) => {
  await flag(call, "crowded", ["prod"]);
  const { variations } = await call<{ variations: { id: string }[] }>(
    "GET",
    "/projects/demo/flags/crowded",
  );
  const keys = Array.from({ length: 100_000 }, (_, index) => `customer-${index}`);
  await call("POST", "/projects/demo/changes", {
    commands: [
      {
        kind: "setTargets",
        flag: "crowded",
        environment: "prod",
        variation: variations[1]?.id,
        keys,
      },
    ],
  });
  await owner.goto(`${server.url}${HOME}/crowded/prod`);
  const targets = owner.getByRole("region", { name: "Individual targets" });
  await expect(targets.getByText("100,000 users")).toBeVisible();
  expect(await targets.getByRole("listitem").count()).toBeLessThan(60);
  await targets.getByRole("textbox", { name: "Users who get false in prod" }).fill("99999");
  await targets.getByRole("button", { name: "Remove customer-99999" }).click();
  await expect(owner.getByText("1 change", { exact: true })).toBeVisible();
  await owner.getByRole("button", { name: "Discard" }).click();
});

test("JSON is edited with what is wrong at its line, and compared by path", async ({
  owner,
  server,
  call,
}) => {
  await call("POST", "/projects/demo/changes", {
    commands: [
      {
        kind: "createFlag",
        flag: "limits-of",
        type: "json",
        variations: [{ value: '{"max":10,"deep":{"a":1}}', name: "Low" }, { value: "{}" }],
      },
    ],
  });
  await owner.goto(`${server.url}${HOME}/limits-of/prod`);
  await owner.getByRole("button", { name: "Value A: edit the JSON" }).click();
  const editor = owner.getByRole("textbox", { name: "Value A" });
  await write(editor, '{"max":20,"deep":{"a":1}');
  const part = owner.getByRole("region", { name: "Variations" });
  await expect(part.getByRole("alert")).toBeVisible();
  await write(editor, '{"max":20,"deep":{"a":1}}');
  await expect(part.getByRole("alert")).toBeHidden();
  await expect(part.getByText("max", { exact: true })).toBeVisible();
  await owner.getByRole("button", { name: "Review", exact: true }).click();
  const review = owner.getByRole("region", { name: "Changes that are not applied" });
  await expect(review.getByText("max", { exact: true })).toBeVisible();
  await owner.getByRole("button", { name: "Discard" }).click();
});

test("a rule is copied, and moved by the keyboard and the pointer", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "orderly", ["prod"]);
  await owner.goto(`${server.url}${HOME}/orderly/prod`);
  await owner.getByRole("button", { name: "Add a rule" }).click();
  await owner.getByLabel("Name of the rule").fill("First");
  await owner.getByRole("button", { name: "Duplicate First" }).click();
  const names = owner.getByLabel("Name of the rule");
  await expect(names.nth(1)).toHaveValue("Copy of First");
  await names.nth(1).press("Alt+ArrowUp");
  await expect(names.first()).toHaveValue("Copy of First");
  await expect(names.first()).toBeFocused();
  const grip = owner.getByRole("button", { name: /^Move First: drag/ });
  const from = await grip.boundingBox();
  const to = await owner.getByRole("listitem", { name: "Copy of First" }).boundingBox();
  if (!from || !to) throw new Error("nothing to drag");
  await owner.mouse.move(from.x + 8, from.y + 8);
  await owner.mouse.down();
  await owner.mouse.move(from.x + 8, to.y + 4, { steps: 4 });
  await owner.mouse.up();
  await expect(names.first()).toHaveValue("First");
  // Two alike: the second decides nothing, and says so.
  await expect(owner.getByText("It decides nothing")).toBeVisible();
  await owner.getByRole("button", { name: "Discard" }).click();
});

test("what was at a version has an address", async ({ owner, server, call }) => {
  await flag(call, "once-on", ["prod"]);
  await owner.goto(`${server.url}${HOME}/once-on/history`);
  await owner.getByRole("link", { name: /^prod, version/ }).click();
  await expect(owner).toHaveURL(/history\/prod\/\d+$/);
  await expect(owner.getByText("Everybody else")).toBeVisible();
});
