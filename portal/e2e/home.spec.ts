import { enter, expect, flag, served, test } from "./test.ts";

const HOME = "/default/demo/flags";

test("what somebody changed today is above the flags, with the way back", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "slip", ["dev"]);
  await owner.goto(server.url + HOME);
  const strip = owner.getByRole("region", { name: "What waits" });
  await expect(strip).toBeVisible();
  await call("POST", "/projects/demo/changes", {
    comment: "by mistake",
    commands: [{ kind: "turnOff", flag: "slip", environment: "dev" }],
  });
  await strip.getByRole("button", { name: /in the last 24 hours/ }).click();
  const change = strip.getByRole("listitem").filter({ hasText: "by mistake" });
  await change.getByRole("button", { name: "Revert" }).click();
  await owner.getByRole("dialog").getByRole("button", { name: "Revert" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  expect(await served(call, "dev", "slip", { key: "ana" })).toBe("true");
});

test("edits that wait lead back to their flags", async ({ owner, server, call }) => {
  await flag(call, "half-done", ["dev"]);
  await owner.goto(`${server.url}${HOME}/half-done/dev`);
  await owner.getByLabel("Users who get false in dev").fill("ana");
  await owner.getByLabel("Users who get false in dev").press("Enter");
  await owner.goto(server.url + HOME);
  const strip = owner.getByRole("region", { name: "What waits" });
  await strip.getByRole("button", { name: "1 unfinished edit" }).click();
  await strip.getByRole("link", { name: "half-done" }).click();
  await expect(owner.getByRole("heading", { name: "half-done" })).toBeVisible();
});

test("a request that waits for me is one click away", async ({ browser, owner, server, call }) => {
  await call("POST", "/projects", { key: "lookout", name: "Watched" });
  await call("POST", "/projects/lookout/environments", { key: "live", name: "Live" });
  await call("POST", "/projects/lookout/changes", {
    commands: [
      { kind: "createFlag", flag: "asked", type: "boolean" },
      { kind: "turnOff", flag: "asked", environment: "live" },
    ],
  });
  const rules = "/projects/lookout/environments/live/rules";
  await call("PUT", rules, { approvals: { required: 1 } });
  const invited = { email: "noa@example.org", policies: ["owner"] };
  const made = await call<{ link: string }>("POST", "/invitations", invited);
  const link = new URL(made.link).hash.slice(1);
  const password = "sextant-compass-4";
  await server.call("", "POST", "/links/follow", { link, name: "Noa", password });
  const context = await browser.newContext();
  await enter(context, server, await server.signIn(invited.email, password));
  const noa = await context.newPage();
  await noa.goto(`${server.url}/default/lookout/flags`);
  await expect(noa.getByRole("link", { name: "asked" })).toBeVisible();
  await call("POST", "/requests", {
    title: "Ask Noa",
    base: {},
    commands: [{ kind: "turnOn", project: "lookout", flag: "asked", environment: "live" }],
  });
  // Live: nobody reloads.
  await noa.getByRole("link", { name: /requests? waits? for your approval/ }).click();
  // Where others' requests wait too, the way leads by their list.
  const listed = noa.getByRole("link", { name: /Ask Noa/ });
  const request = noa.getByRole("heading", { name: "Ask Noa" });
  await expect(request.or(listed)).toBeVisible();
  if (await listed.isVisible()) await listed.click();
  await expect(request).toBeVisible();
  await context.close();
  await call("PUT", rules, {});
  await owner.close();
});
