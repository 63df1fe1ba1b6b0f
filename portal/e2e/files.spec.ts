import { expect, test } from "./test.ts";

test("a project goes into a file and comes back in another one", async ({
  owner,
  server,
  call,
}) => {
  await call("POST", "/projects", { key: "copied", name: "Copied" });
  await owner.goto(`${server.url}/default/demo/settings/files`);
  const download = owner.waitForEvent("download");
  await owner.getByRole("button", { name: "Export as YAML" }).click();
  const saved = await (await download).path();
  await owner.goto(`${server.url}/default/copied/settings/files`);
  const source = owner.getByRole("group", { name: "File", exact: true });
  await source.locator("input[type=file]").setInputFiles(saved);
  await owner.getByRole("button", { name: "See what it would do" }).click();
  await expect(owner.getByText(/^\d+ created$/)).toBeVisible();
  await owner.getByRole("button", { name: "Apply to copied" }).click();
  await expect(owner.getByText(/Applied as \d+ change set/)).toBeVisible();
  // The same again is so already.
  await source.locator("input[type=file]").setInputFiles(saved);
  await owner.getByRole("button", { name: "See what it would do" }).click();
  await expect(owner.getByText(/^\d+ as they are$/)).toBeVisible();
  // What is wrong is found by its line.
  await source
    .getByRole("textbox")
    .fill("burgee: 1\nproject: copied\nflags:\n  a:\n    type: rope\n");
  await owner.getByRole("button", { name: "See what it would do" }).click();
  await expect(owner.getByRole("alert")).toContainText("Line 5, column");
  await owner.getByRole("button", { name: "Go to line 5" }).click();
  await expect(source.getByRole("textbox")).toBeFocused();
});

test("flags of FeatBit are taken over, and what cannot be is named", async ({
  owner,
  server,
  call,
}) => {
  await call("POST", "/projects", { key: "moved-in", name: "Moved in" });
  await call("POST", "/projects/moved-in/environments", { key: "prod", name: "Production" });
  const [on, off] = [crypto.randomUUID(), crypto.randomUUID()];
  const flag = {
    id: crypto.randomUUID(),
    key: "from-featbit",
    name: "From FeatBit",
    variationType: "boolean",
    variations: [
      { id: on, value: "true", name: "On" },
      { id: off, value: "false", name: "Off" },
    ],
    targetUsers: [],
    rules: [],
    isEnabled: true,
    disabledVariationId: off,
    fallthrough: {
      dispatchKey: null,
      includedInExpt: true,
      variations: [{ id: on, rollout: [0, 1], exptRollout: 1 }],
    },
    exptIncludeAllTargets: true,
    tags: [],
    isArchived: false,
  };
  await owner.goto(`${server.url}/default/moved-in/settings/files`);
  const source = owner.getByRole("group", { name: "FeatBit’s answer, as JSON" });
  const data = { featureFlags: [flag, { key: "broken" }], segments: [] };
  await source.getByRole("textbox").fill(JSON.stringify({ messageType: "data-sync", data }));
  await owner.getByRole("button", { name: "See what would be imported" }).click();
  await expect(owner.getByRole("row").filter({ hasText: "from-featbit" })).toContainText("created");
  await expect(owner.getByRole("row").filter({ hasText: "broken" })).toContainText("left out");
  await owner.getByRole("button", { name: "Import into prod" }).click();
  await expect(owner.getByText("Imported into prod")).toBeVisible();
  const found = await call<{ id: string }>("GET", "/projects/moved-in/flags/from-featbit");
  expect(found.id).toBe(flag.id);
});
