import { readFile } from "node:fs/promises";
import { expect, flag, test } from "./test.ts";

const PROD = "/default/people/users/prod";

test.beforeAll(async ({ call }) => {
  await call("POST", "/projects", { key: "people", name: "People" });
  await call("POST", "/projects/people/environments", { key: "prod", name: "Production" });
  await call("POST", "/projects/people/changes", {
    commands: [
      { kind: "createFlag", flag: "greeting", type: "boolean" },
      { kind: "turnOn", flag: "greeting", environment: "prod" },
      { kind: "createFlag", flag: "quiet", type: "boolean" },
    ],
  });
});

test("users are uploaded, found, looked at, and downloaded", async ({ owner, server }) => {
  await owner.goto(`${server.url}/default/people/users`);
  await expect(owner.getByRole("heading", { name: "No user is known in prod yet" })).toBeVisible();
  await owner.getByRole("button", { name: "Upload users" }).click();
  const panel = owner.getByRole("dialog");
  await panel.getByLabel("File").setInputFiles({
    name: "users.csv",
    mimeType: "text/csv",
    buffer: Buffer.from('key,name,country\nana,Ana,de\nben,"Ben, the second",\n,Nobody,fr\n'),
  });
  await expect(panel.getByText("Read as CSV")).toBeVisible();
  await expect(panel.getByText("Ben, the second")).toBeVisible();
  await expect(panel.getByText(/Line 4: no key/)).toBeVisible();
  await panel.getByRole("button", { name: "Upload users to prod" }).click();
  await expect(panel.getByText("2 users were written.")).toBeVisible();
  await expect(panel.getByText("1 line is wrong and was left out:")).toBeVisible();
  await panel.getByRole("button", { name: "To the users" }).click();

  await owner.getByRole("searchbox").fill("Ben");
  await expect(owner.getByRole("link", { name: "ben" })).toBeVisible();
  await expect(owner.getByRole("link", { name: "ana" })).toBeHidden();
  await expect(owner).toHaveURL(/q=Ben/);
  await owner.getByRole("searchbox").fill("second");
  await expect(owner.getByText("No known user matches")).toBeVisible();
  await owner.getByLabel("Anywhere in key or name").check();
  await owner.getByRole("link", { name: "ben" }).click();
  await expect(owner.getByRole("heading", { name: "Ben, the second" })).toBeVisible();

  await owner.goto(server.url + PROD);
  await owner.getByRole("button", { name: "Download or forget" }).click();
  const saved = owner.waitForEvent("download");
  await owner.getByRole("button", { name: "Download JSON lines" }).click();
  const file = await readFile(await (await saved).path(), "utf8");
  expect(JSON.parse(file.split("\n")[0] ?? "")).toMatchObject({
    key: "ana",
    properties: { country: "de" },
  });
});

test("everything that one user gets, and why", async ({ owner, server, call }) => {
  await call("POST", "/projects/people/changes", {
    commands: [{ kind: "createFlag", flag: "later", type: "boolean" }],
  });
  await upload(server.url, await server.owner(), { key: "cleo", name: "Cleo" });
  await owner.goto(`${server.url}${PROD}/cleo`);
  const flags = owner.getByRole("region", { name: "What every flag gives" });
  await expect(flags.getByRole("listitem")).toHaveCount(3);
  await flags.getByRole("searchbox").fill("notReleased");
  await expect(flags.getByRole("listitem")).toHaveCount(2);
  await flags.getByRole("searchbox").fill("greet");
  await expect(flags.getByRole("listitem")).toContainText("true");
  await flags.getByLabel("In which state").selectOption({ index: 1 });
  await expect(owner).toHaveURL(/version=\d+/);
  await flags.getByRole("link", { name: "Why: greeting" }).click();
  await expect(owner.getByRole("region", { name: "Who gets what, and why" })).toContainText(
    /Cleo gets A?true/,
  );
});

test("a property is described, and its values offered first", async ({ owner, server }) => {
  await owner.goto(`${server.url}/default/people/user-properties`);
  await expect(owner.getByText("No property is described yet")).toBeVisible();
  await owner.getByRole("button", { name: "Describe country" }).click();
  const panel = owner.getByRole("dialog");
  await panel.getByLabel("What it means").fill("Where the account was opened");
  await panel.getByLabel("Values to choose from").fill("de: Germany\nat");
  await panel.getByLabel("Editors of rules offer only these values").check();
  await panel.getByRole("button", { name: "Save country" }).click();
  await expect(owner.getByRole("row", { name: /country/ })).toContainText("de, at (only these)");

  // Two at once: the second is told, and loses nothing.
  await owner.getByRole("button", { name: "Edit country" }).click();
  await expect(panel.getByLabel("Values to choose from")).toHaveValue("de: Germany\nat");
  const cookie = await server.owner();
  await server.call(cookie, "PUT", "/projects/people/user-properties/country", {
    description: "By somebody else",
  });
  await panel.getByLabel("What it means").fill("Mine");
  await panel.getByRole("button", { name: "Save country" }).click();
  await panel.getByRole("alert").getByRole("button").click();
  await expect(panel.getByLabel("What it means")).toHaveValue("Mine");
  await panel.getByRole("button", { name: "Save country" }).click();
  await expect(owner.getByRole("row", { name: /country/ })).toContainText("Mine");
  await owner.getByRole("button", { name: "Delete what is said of country" }).click();
  await owner.getByRole("dialog").getByLabel("Type country to go on").fill("country");
  await owner.getByRole("button", { name: "Delete what is said of country" }).last().click();
  await expect(owner.getByText("No property is described yet")).toBeVisible();
});

test("a person is forgotten, everywhere", async ({ owner, server, call }) => {
  await flag(call, "forgetful", ["prod"]);
  const { variations } = await call<{ variations: { id: string }[] }>(
    "GET",
    "/projects/demo/flags/forgetful",
  );
  const place = { flag: "forgetful", environment: "prod" };
  await call("POST", "/projects/demo/changes", {
    commands: [
      { kind: "addTargets", ...place, variation: variations[1]?.id ?? "", keys: ["dora"] },
    ],
  });
  await upload(server.url, await server.owner(), { key: "dora", name: "Dora" });
  await owner.goto(`${server.url}${PROD}/dora`);
  await owner.getByRole("button", { name: "Forget everywhere" }).click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByLabel("Type dora to go on").fill("dora");
  await dialog.getByRole("button", { name: "Forget dora" }).click();
  await expect(dialog).toContainText("Taken out of targets and segments by 1 change.");
  await expect(dialog).toContainText("was theirs");
  await owner.keyboard.press("Escape");
  await expect(owner.getByRole("heading", { name: "Users", exact: true })).toBeVisible();
  await expect(owner.getByRole("link", { name: "dora" })).toBeHidden();
});

async function upload(url: string, cookie: string, user: object) {
  const answer = await fetch(`${url}/api/v1/projects/people/environments/prod/users`, {
    method: "POST",
    headers: { cookie, "content-type": "application/x-ndjson" },
    body: JSON.stringify(user),
  });
  expect(answer.status).toBe(200);
}
