/** What is said before and after a gesture: what it does, and not only that it was done. */
import { project } from "./project.ts";
import { expect, test } from "./test.ts";

test("where nobody is known, a gesture says what everybody will get, and then what it did", async ({
  owner,
  server,
  call,
}) => {
  await owner.goto(server.url + (await project(call, "said", ["words"])));
  await owner.getByRole("button", { name: /words in prod/ }).click();
  const panel = owner.getByRole("dialog", { name: /words/ });
  await expect(panel).toContainText("prod: no users known yet. Everybody will get true.");
  await panel.getByRole("button", { name: "Turn on in prod" }).click();
  await expect(owner.getByText("words is on in prod. prod is now version")).toBeVisible();
  await owner.getByRole("button", { name: /words in prod/ }).click();
  const percent = panel.getByLabel("Percent that get true");
  await percent.fill("10");
  await expect(panel).toContainText("Everybody will get 10% true and 90% false.");
  await percent.press("Enter");
  await expect(
    owner.getByText(/words in prod: everybody else now gets .*10% ‘true’.* prod is now version/),
  ).toBeVisible();
});

test("how much waits is said once where it waits in one place", async ({ owner, server, call }) => {
  await owner.goto(`${server.url}${await project(call, "once", ["waiting"])}/waiting/prod`);
  for (const [environment, said] of [
    ["prod", "1 changeprodUndo"],
    ["dev", "2 changesprod 1 · dev 1Undo"],
  ] as const) {
    const field = owner.getByLabel(`Users who get false in ${environment}`);
    if (environment === "dev") await owner.getByRole("link", { name: /^dev/ }).first().click();
    // oxlint-disable-next-line no-await-in-loop
    await field.fill("ana");
    // oxlint-disable-next-line no-await-in-loop
    await field.press("Enter");
    // oxlint-disable-next-line no-await-in-loop
    await expect(owner.getByRole("region", { name: "Changes that are not applied" })).toContainText(
      said,
    );
  }
});
