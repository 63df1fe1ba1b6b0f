import { execFileSync } from "node:child_process";
import { project } from "./project.ts";
import { binary } from "./server.ts";
import { expect, test } from "./test.ts";

test("what was copied runs", async ({ owner, server, call }) => {
  await owner.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const home = await project(call, "copied-as", ["cart"]);
  const { token } = await call<{ token: string }>("POST", "/tokens", {
    kind: "personal",
    name: "for copying",
  });
  await owner.goto(server.url + home);
  const copy = async (format: string) => {
    await owner.getByRole("button", { name: "Actions for cart" }).click();
    await owner.getByRole("dialog", { name: "cart" }).getByRole("button", { name: format }).click();
    await expect(owner.getByRole("dialog", { name: "cart" })).toBeHidden();
    return owner.evaluate(() => navigator.clipboard.readText());
  };
  const env = { ...process.env, BURGEE_TOKEN: token };
  const sh = (script: string, more = {}) =>
    execFileSync("bash", ["-c", script], { env: { ...env, ...more }, encoding: "utf8" });
  const flag = JSON.parse(sh(await copy("curl"))) as { key: string };
  expect(flag.key).toBe("cart");
  await owner.goto(await copy("Link"));
  await expect(owner.getByRole("heading", { level: 1 })).toContainText("cart");
  await owner.goto(server.url + home);

  // The file of the flag makes it again elsewhere.
  const yaml = await copy("YAML");
  const file = yaml.replace("project: copied-as", "project: pasted");
  await call("POST", "/projects", { key: "pasted" });
  await call("POST", "/projects/pasted/import", { file });
  const pasted = await call<{ key: string }>("GET", "/projects/pasted/flags/cart");
  expect(pasted.key).toBe("cart");

  // And as lines for the machine that has the data.
  await call("POST", "/projects/copied-as/changes", {
    commands: [{ kind: "renameFlag", flag: "cart", name: "Another name" }],
  });
  await owner.goto(server.url + home);
  await expect(owner.getByRole("link", { name: /Another name/ })).toBeVisible();
  const lines = await copy("burgee command line");
  await call("POST", "/projects/copied-as/changes", {
    commands: [{ kind: "renameFlag", flag: "cart", name: "A third" }],
  });
  sh(`burgee() { "${binary}" "$@"; }; ${lines}`, { BURGEE_DATA_DIR: server.folder });
  const again = await call<{ name: string }>("GET", "/projects/copied-as/flags/cart");
  expect(again.name).toBe("Another name");
});
