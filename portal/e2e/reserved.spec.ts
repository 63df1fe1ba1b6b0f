import { expect, test } from "./test.ts";

test("a key that is the name of a page is refused where it is typed", async ({ owner, server }) => {
  await owner.goto(`${server.url}/default/demo/settings/environments`);
  await owner.getByRole("button", { name: "New environment" }).click();
  const panel = owner.getByRole("dialog");
  await panel.getByLabel("Name", { exact: true }).fill("History");
  await panel.getByRole("button", { name: "Create history" }).click();
  const key = panel.getByLabel("Key", { exact: true });
  await expect(key).toHaveAccessibleDescription(/The portal has a page of this name/);
  await key.fill("past");
  await expect(key).not.toHaveAttribute("aria-invalid");
});
