import featbit from "@featbit/node-server-sdk";
import { joined } from "./joined.ts";
import { project } from "./project.ts";
import { Stream, secretOf } from "./stream.ts";
import { enter, expect, test } from "./test.ts";

const AGENT = "fb-go-server-sdk/1.2.0";

test("who has a change is said where it is made, and named on its page", async ({
  owner,
  server,
  call,
}) => {
  test.setTimeout(150_000);
  const flags = await project(call, "delivered", ["beacon"], ["prod"]);
  const commands = [{ kind: "turnOn", flag: "beacon", environment: "prod" }];
  await call("POST", "/projects/delivered/changes", { commands });
  const secret = await secretOf(call, "delivered", "prod");
  const program = new featbit.FbClientBuilder()
    .sdkKey(secret)
    .streamingUri(server.url.replace("http", "ws"))
    .eventsUri(server.url)
    .build();
  await program.waitForInitialization();
  const silent = await Stream.open(server.url, secret, AGENT);
  try {
    // How long it takes is told of who had confirmed what was before.
    silent.ping();
    const route = "/projects/delivered/environments/prod/connections";
    const confirmed = async () => {
      const { items } = await call<{ items: { received?: number }[] }>("GET", route);
      return items.filter((it) => it.received !== undefined).length;
    };
    await expect.poll(confirmed).toBeGreaterThan(0);
    await owner.goto(server.url + flags);
    await owner.getByRole("button", { name: /beacon in prod/ }).click();
    await owner.getByRole("button", { name: "Turn off in prod" }).click();
    const toast = owner.getByRole("status").filter({ hasText: "beacon is off in prod" });
    await expect(toast).toContainText(/Sent to all 2 connections in \d/);
    await toast.getByRole("link", { name: "Who has it" }).click();

    const delivery = owner.getByRole("region", { name: "Who has it", exact: true });
    // The SDK says something within 18 s; the other one does not.
    await expect(delivery).toContainText("1 of 2 connections have it", { timeout: 30_000 });
    const times = delivery.getByRole("region", { name: "How long it took" });
    await expect(times.getByRole("row", { name: /^Sent 2 \d/ })).toBeVisible();
    await expect(times.getByRole("row", { name: /^Confirmed 1 / })).toBeVisible();
    await expect(delivery.getByText("1 not confirmed")).toBeVisible({ timeout: 40_000 });
    const without = delivery.getByRole("region", { name: "Without it" }).getByRole("row");
    await expect(without.filter({ hasText: "fb-go-server-sdk" })).toContainText(
      "sent, not confirmed yet",
    );
    await expect(delivery.getByRole("status")).toHaveText("1 of 2 connections have it");

    silent.ping();
    await expect(delivery.getByText("complete")).toBeVisible();
    await expect(times.getByRole("row", { name: /^Confirmed 2 \d/ })).toBeVisible();
    await expect(delivery.getByRole("strong").first()).toHaveText("All 2 connections have it");
    await expect(delivery.getByRole("region", { name: "Without it" })).toHaveCount(0);

    await silent.close();
    await program.close();
    await expect(delivery).toContainText("No SDK is connected");
  } finally {
    await silent.close();
    await program.close();
  }
});

test("connected SDKs are found by name, come and go, and are looked for by their kind", async ({
  owner,
  server,
  call,
}) => {
  await project(call, "connected", ["buoy"], ["prod"]);
  await owner.goto(`${server.url}/default/connected/flags`);
  await owner.keyboard.press("Control+k");
  await owner.getByRole("dialog").getByRole("combobox").fill("connected sdks");
  await owner.getByRole("option", { name: /Connected SDKs in prod/ }).click();
  await expect(owner.getByRole("heading", { name: "No SDK is connected to prod" })).toBeVisible();

  const secret = await secretOf(call, "connected", "prod");
  const one = await Stream.open(server.url, secret, AGENT);
  try {
    const rows = owner.getByRole("region", { name: "Connected SDKs" }).getByRole("row");
    const go = rows.filter({ hasText: "fb-go-server-sdk 1.2.0" });
    await expect(go).toContainText("127.0.0.1");
    one.ping();
    await expect(go).toContainText("up to date");
    await owner.getByRole("checkbox", { name: "Behind only" }).check();
    await expect(owner.getByText("Nobody is behind")).toBeVisible();
    const commands = [{ kind: "turnOn", flag: "buoy", environment: "prod" }];
    await call("POST", "/projects/connected/changes", { commands });
    await expect(go).toContainText("sent, not confirmed yet");
    await owner.getByLabel("Kind").selectOption({ label: "Client" });
    await expect(owner.getByText("No connection of this kind.")).toHaveCount(0);
    await expect(owner.getByText("Nobody is behind")).toBeVisible();
    await owner.reload();
    await expect(owner.getByLabel("Kind")).toHaveValue("client");

    // An address is a person's: who may not see users does not see it.
    const allowed = ["organization.read", "project.read", "environment.read", "flag.read"];
    const statements = [{ effect: "allow", actions: allowed, resources: ["*"] }];
    await call("POST", "/policies", { key: "no-users", name: "No users", statements });
    const known = { email: "nora@example.org", policies: ["no-users"] };
    const cookie = await joined(call, server, "Nora", known);
    const context = await owner.context().browser()?.newContext();
    if (!context) throw new Error("no browser");
    await enter(context, server, cookie);
    const page = await context.newPage();
    await page.goto(
      `${server.url}/default/connected/settings/environments/prod/connections?kind=server`,
    );
    await expect(page.getByText(/Addresses are not shown\..*user\.read/)).toBeVisible();
    await expect(page.getByText("127.0.0.1")).toHaveCount(0);
    await context.close();
  } finally {
    await one.close();
  }
  await owner.getByLabel("Kind").selectOption({ label: "All kinds" });
  await expect(owner.getByRole("heading", { name: "No SDK is connected to prod" })).toBeVisible();
});
