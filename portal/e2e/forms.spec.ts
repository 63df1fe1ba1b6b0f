/** What a form lacks is said by the form, in the reader's language, where it is lacking. */
import { expect, test } from "./test.ts";

test("what a form lacks is said below its fields, and the first of them has the focus", async ({
  owner,
  server,
}) => {
  await owner.goto(`${server.url}/default/demo/flags?create=true`);
  const panel = owner.getByRole("dialog");
  const name = panel.getByLabel("Name", { exact: true });
  const key = panel.getByLabel("Key", { exact: true });
  await panel.getByLabel("Tags").focus();
  await panel.getByRole("button", { name: "Create", exact: true }).click();
  await expect(name).toBeFocused();
  await expect(name).toHaveAccessibleDescription("Fill this in");
  await expect(key).toHaveAccessibleDescription("Fill this in");
  // What is typed there fills the key, too.
  await name.pressSequentially("Mast");
  await expect(panel.getByText("Fill this in")).toHaveCount(0);
  await expect(name).not.toHaveAttribute("aria-invalid");
  await key.fill("two words");
  await panel.getByRole("button", { name: /^Create/ }).click();
  await expect(key).toBeFocused();
  await expect(key).toHaveAttribute("aria-invalid", "true");
  await expect(key).toHaveAccessibleDescription(/letters/i);
});

test("numbers and passwords say what they may be", async ({ owner, server }) => {
  await owner.goto(`${server.url}/default/demo/settings/environments/prod/rules`);
  const approvals = owner.getByLabel("Approvals");
  await approvals.fill("11");
  await owner.getByRole("button", { name: "Save what changes to prod need" }).click();
  await expect(approvals).toHaveAccessibleDescription("A number from 0 to 10");
  await owner.goto(`${server.url}/default/settings/security`);
  await owner.getByLabel("Current password").first().fill("x");
  const fresh = owner.getByLabel("New password");
  await fresh.pressSequentially("short");
  await fresh.press("Enter");
  await expect(fresh).toHaveAccessibleDescription("At least 10 characters");
});
