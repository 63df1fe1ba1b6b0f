import { Hand } from "./hand.ts";
import { expect, flag, served, test } from "./test.ts";

const HOME = "/default/demo/flags";

test("targeting goes from one environment to another", async ({ owner, server, call }) => {
  await flag(call, "promoted", ["prod", "dev"]);
  const variations = (
    await call<{ variations: { id: string; value: string }[] }>(
      "GET",
      "/projects/demo/flags/promoted",
    )
  ).variations;
  const off = variations.find((it) => it.value === "false")?.id;
  const at = { environment: "dev", flag: "promoted" };
  await call("POST", "/projects/demo/changes", {
    commands: [
      { kind: "setDefaultRule", ...at, variation: off },
      { kind: "addTargets", ...at, variation: off, keys: ["ana"] },
    ],
  });
  expect(await served(call, "prod", "promoted", { key: "ben" })).toBe("true");
  await owner.goto(`${server.url}${HOME}?q=promoted`);
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "promoted", exact: true }));
  await hand.click(owner.getByRole("main").getByRole("link", { name: "Compare" }));
  await expect(owner.getByText("The same in both: On or off, Rules, While off")).toBeVisible();
  await hand.click(owner.getByRole("button", { name: "Take all from dev to prod" }));
  await expect(owner.getByText("2 changes", { exact: true })).toBeVisible();
  await hand.click(owner.getByRole("button", { name: "Apply to prod" }));
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  hand.needed("promote");
  // What programs are served.
  expect(await served(call, "prod", "promoted", { key: "ben" })).toBe("false");
  await expect(owner.getByText("The same in dev and prod")).toBeVisible();
});

test("all that differs is one look away, and goes part by part", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "differing", ["prod", "dev"]);
  await flag(call, "alike", ["prod", "dev"]);
  await call("POST", "/projects/demo/changes", {
    commands: [{ kind: "turnOff", environment: "dev", flag: "differing" }],
  });
  await owner.goto(server.url + HOME);
  const hand = new Hand(owner);
  await hand.click(owner.getByRole("link", { name: "Compare" }));
  const list = owner.getByRole("list", { name: "Flags" });
  await expect(list.getByRole("link", { name: "differing" })).toBeVisible();
  hand.needed("compareAll");
  await expect(list.getByRole("link", { name: "alike" })).toHaveCount(0);
  await owner.getByRole("button", { name: "Take On or off of differing" }).click();
  await expect(owner.getByText("1 change", { exact: true })).toBeVisible();
  await expect(
    list.getByRole("listitem").filter({ hasText: "differing" }).getByText("in review"),
  ).toBeVisible();
  await owner.getByRole("button", { name: "Discard" }).click();
  // The other way round: rules about segments that prod alone has stay behind, and are named.
  await owner.getByLabel("Take from").selectOption("prod");
  await expect(owner).toHaveURL(/compare\/prod\.\.dev/);
  await owner.getByRole("button", { name: "Take all from prod to dev" }).click();
  await expect(owner.getByText("Left out: custom-rule-with-segment")).toBeVisible();
  await expect(owner.getByRole("button", { name: "Review", exact: true })).toBeVisible();
  // What was said of the first discard is still there, and over nothing that is pressed.
  const bar = owner.getByRole("region", { name: "Changes that are not applied" });
  const covered = () =>
    bar.evaluate((it) =>
      [...document.querySelectorAll("[aria-live=polite] button")].some(
        (said) => said.getBoundingClientRect().bottom > it.getBoundingClientRect().top,
      ),
    );
  // It is said for ten seconds: that it goes by itself does not count.
  await expect.poll(covered, { timeout: 4_000 }).toBe(false);
  await bar.getByRole("button", { name: "Discard" }).click();
});

test("segments go from one environment to another", async ({ owner, server, call }) => {
  const create = {
    kind: "createSegment",
    segment: "travelling",
    environment: "dev",
    included: ["ana", "ben"],
  };
  await call("POST", "/projects/demo/changes", { commands: [create] });
  await owner.goto(`${server.url}/default/demo/compare/dev..prod?of=segments`);
  await owner.getByRole("button", { name: "Take the segment travelling" }).click();
  await owner.getByRole("button", { name: "Apply to prod" }).click();
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  await expect(owner.getByRole("link", { name: "travelling" })).toBeHidden();
  const made = await call<{ included: string[] }>(
    "GET",
    "/projects/demo/environments/prod/segments/travelling",
  );
  expect(made.included).toEqual(["ana", "ben"]);
});

test("an environment goes back to one of its versions", async ({ owner, server, call }) => {
  await call("POST", "/projects", { key: "way-back", name: "Way back" });
  await call("POST", "/projects/way-back/environments", { key: "dev", name: "dev" });
  const at = { flag: "first", environment: "dev" };
  const change = (...commands: object[]) =>
    call<{ versions: Record<string, number> }>("POST", "/projects/way-back/changes", { commands });
  const made = await change(
    { kind: "createFlag", flag: "first", type: "boolean" },
    { kind: "turnOn", ...at },
  );
  await change({ kind: "turnOff", ...at });
  const version = made.versions["way-back/dev"];
  await owner.goto(`${server.url}/default/way-back/history/dev/${version}`);
  await owner.getByRole("button", { name: `Go back to version ${version} …` }).click();
  const panel = owner.getByRole("dialog", { name: `dev as it was at version ${version}` });
  await expect(panel.getByText("dev first turned on")).toBeVisible();
  await panel.getByRole("button", { name: "Add to review" }).click();
  await owner.getByRole("button", { name: "Apply to dev" }).click();
  await expect(owner.getByText(/dev is now version/)).toBeVisible();
  const route = "/projects/way-back/environments/dev/evaluate";
  const user = { key: "ana", properties: {}, flag: "first" };
  const answer = await call<{ items: { variation?: { value: string } | null }[] }>(
    "POST",
    route,
    user,
  );
  expect(answer.items[0]?.variation?.value).toBe("true");
});

test("an address of environments that are not there leads to the usual pair", async ({
  owner,
  server,
}) => {
  await owner.goto(`${server.url}/default/demo/compare/no%20such..pair`);
  await expect(owner).toHaveURL(/\/compare\/\w+\.\.\w+$/);
});
