import { asks } from "./ofrep.ts";
import { secretOf } from "./stream.ts";
import { expect, flag, test } from "./test.ts";

test("who comes with types keeps them, elsewhere and in what is tried too", async ({
  owner,
  server,
  call,
}) => {
  await flag(call, "why-typed", ["prod", "dev"]);
  const { offVariation: variation } = await call<{ offVariation: string }>(
    "GET",
    "/projects/demo/flags/why-typed",
  );
  const conditions = [{ property: "roles", op: "IsOneOf", value: '["admin"]' }];
  const rule = { name: "Admins", conditions, variation };
  await call("POST", "/projects/demo/changes", {
    commands: ["prod", "dev"].map((environment) => {
      return { kind: "addRule", flag: "why-typed", environment, rule };
    }),
  });
  const secret = await secretOf(call, "demo", "prod", "client");
  const context = { targetingKey: "typed-ana", age: 42, roles: ["dev", "admin"] };
  await asks(server, secret, "why-typed", context);
  const user = "/projects/demo/environments/prod/users/typed-ana";
  await expect
    .poll(() => call("GET", user).catch(() => undefined))
    .toMatchObject({
      types: { age: "number", roles: "list" },
    });

  await owner.goto(`${server.url}/default/demo/flags/why-typed/prod/why?user=typed-ana`);
  const why = owner.getByRole("region", { name: "Who gets what, and why" });
  const admins = /rule 1 \(Admins\) matches/;
  await expect(why).toContainText(admins);
  await expect(why).toContainText('roles["dev","admin"]list');
  const elsewhere = why.getByRole("listitem").filter({ hasText: "dev" });
  await expect(elsewhere.filter({ has: owner.getByRole("link", { name: "dev" }) })).toContainText(
    /rule \d/,
  );

  await why.getByRole("button", { name: "Try other properties" }).click();
  await why.getByLabel("Value of age").fill("43");
  await expect(owner).toHaveURL(/43/);
  await expect(why).toContainText(admins);
  // Whoever types goes on typing while it is answered.
  await expect(why.getByLabel("Value of age")).toBeFocused();
  const type = why.getByLabel("Type of roles");
  await expect(type).toHaveValue("list");
  await type.selectOption("text");
  await expect(why).toContainText("no target and no rule takes them");
  await owner.reload();
  await expect(why).toContainText("no target and no rule takes them");
  await type.selectOption("list");
  await expect(why).toContainText(admins);
  // What is half written is a text for as long.
  await why.getByLabel("Value of roles").fill('["admin"');
  await expect(why).toContainText("no target and no rule takes them");
  await expect(why.getByLabel("Value of roles")).toHaveAttribute("aria-invalid", "true");
  await why.getByLabel("Value of roles").fill('["admin"]');
  await expect(why).toContainText(admins);
});
