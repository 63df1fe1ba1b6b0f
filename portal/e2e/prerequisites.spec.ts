import { expect, flag, test } from "./test.ts";

const HOME = "/default/demo/flags";

interface Detail {
  variations: { id: string; value: string }[];
}

/** Has one flag need that another serves true in prod. */
async function needs(call: Parameters<typeof flag>[0], key: string, needed: string) {
  const { variations } = await call<Detail>("GET", `/projects/demo/flags/${needed}`);
  const variation = variations.find((it) => it.value === "true")?.id;
  const prerequisites = [{ flag: needed, variation }];
  await call("POST", "/projects/demo/changes", {
    commands: [{ kind: "setPrerequisites", flag: key, environment: "prod", prerequisites }],
  });
}

test("a flag that needs another, by the keyboard: the change, and why somebody gets it", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "needed-pay", ["prod"]);
  const off = { kind: "turnOff", flag: "needed-pay", environment: "prod" };
  await call("POST", "/projects/demo/changes", { commands: [off] });
  await flag(call, "needy-cart", ["prod"]);
  await owner.goto(`${server.url}${HOME}/needy-cart/prod`);
  const part = owner.getByRole("region", { name: "Prerequisites" });
  await expect(part).toContainText("It needs no other flag.");
  await part.getByRole("button", { name: "Add a prerequisite" }).press("Enter");
  const search = owner.getByRole("combobox", { name: "Add a prerequisite" });
  await search.fill("needy-cart");
  await expect(
    owner.getByRole("listbox", { name: "Add a prerequisite" }).getByRole("option"),
  ).toHaveCount(0);
  await search.fill("needed-pay");
  await expect(
    owner.getByRole("listbox", { name: "Add a prerequisite" }).getByRole("option"),
  ).toHaveCount(1);
  await search.press("Enter");
  const chosen = part.getByLabel("What needed-pay has to serve");
  await expect(chosen.locator("option:checked")).toHaveText("true");
  await expect(part.getByRole("button", { name: "Add a prerequisite" })).toBeFocused();
  await owner.getByRole("button", { name: "Review", exact: true }).press("Enter");
  const review = owner.getByRole("region", { name: "Changes that are not applied" });
  await expect(review).toContainText("needs needed-pay");
  await owner.getByRole("button", { name: "Apply to prod" }).first().press("Enter");
  await expect(owner.getByText(/prod is now version/)).toBeVisible();
  await owner.goto(`${server.url}${HOME}?q=needy-cart`);
  await expect(owner.getByRole("button", { name: "needy-cart in prod: On" })).toHaveAttribute(
    "title",
    "On, true, with prerequisites",
  );

  await owner.goto(`${server.url}${HOME}/needy-cart/prod/why?user=ana`);
  const why = owner.getByRole("region", { name: "Who gets what, and why" });
  await expect(why).toContainText("needed-pay serves them");
  const steps = why.getByRole("list", { name: "Step by step" });
  await expect(steps).toContainText("not met: decides");
  await expect(steps).toContainText(/The flag needed-pay serves .*, not Atrue/);
  await why.getByRole("link", { name: "needed-pay" }).first().click();
  await expect(owner).toHaveURL(/needed-pay\/prod\/why\?user=ana/);
  await expect(owner.getByRole("region", { name: "Prerequisites" })).toContainText(
    "needy-cart needs Atrue",
  );

  // An edit of the needed flag that waits is one of what would be given.
  const whenOff = owner.getByRole("region", { name: "While off" });
  await whenOff.getByRole("combobox").selectOption({ label: "true" });
  await owner.goto(`${server.url}${HOME}/needy-cart/prod/why?user=ana`);
  await expect(why).toContainText(/After your edits.*ana gets Atrue/);
});

test("a circle is refused with the way round", async ({ owner, server, call }) => {
  for (const key of ["round-a", "round-b", "round-c"]) await flag(call, key, ["prod"]);
  await needs(call, "round-a", "round-b");
  await needs(call, "round-b", "round-c");
  await owner.goto(`${server.url}${HOME}/round-a/prod`);
  const part = owner.getByRole("region", { name: "Prerequisites" });
  await expect(part).toContainText("which itself needs");
  await expect(part.getByRole("link", { name: "round-c" })).toBeVisible();
  await owner.goto(`${server.url}${HOME}/round-c/prod`);
  await part.getByRole("button", { name: "Add a prerequisite" }).press("Enter");
  const search = owner.getByRole("combobox", { name: "Add a prerequisite" });
  await search.fill("round-a");
  await expect(
    owner.getByRole("listbox", { name: "Add a prerequisite" }).getByRole("option"),
  ).toHaveCount(1);
  await search.press("Enter");
  await owner.getByRole("button", { name: "Review", exact: true }).click();
  await expect(owner.getByText(/round-c.*round-a.*round-b.*round-c/).first()).toBeVisible();
});

test("a flag that another needs is not archived", async ({ owner, server, call }) => {
  await flag(call, "kept-base", ["prod"]);
  await flag(call, "kept-top", ["prod"]);
  await needs(call, "kept-top", "kept-base");
  await owner.goto(`${server.url}${HOME}/kept-base/prod`);
  await owner.getByRole("button", { name: "Archive" }).click();
  await expect(owner.getByRole("dialog", { name: "Archive" }).getByRole("alert")).toContainText(
    "kept-top",
  );
});
