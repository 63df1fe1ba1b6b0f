import { project } from "./project.ts";
import { expect, test } from "./test.ts";

declare global {
  interface Window {
    commits: number;
    perKey: number[];
  }
}

test("five thousand flags in fifty environments are as quick as eight", async ({
  owner,
  server,
  call,
}) => {
  test.setTimeout(180_000);
  const environments = Array.from({ length: 50 }, (_, index) => `env-${index}`);
  const keys = Array.from({ length: 5_000 }, (_, index) => `flag-${index}`);
  const home = await project(call, "large", keys, environments);
  // React says to this hook when it has changed the page.
  await owner.addInitScript(() => {
    window.commits = 0;
    Object.assign(window, {
      __REACT_DEVTOOLS_GLOBAL_HOOK__: {
        supportsFiber: true,
        inject: () => 1,
        onCommitFiberRoot: () => (window.commits += 1),
        onCommitFiberUnmount: () => undefined,
        onPostCommitFiberRoot: () => undefined,
      },
    });
  });
  const asked: string[] = [];
  owner.on("request", (request) => asked.push(request.url()));
  await owner.goto(server.url + home);
  await expect(owner.getByRole("link", { name: "flag-0", exact: true })).toBeVisible();
  await expect(owner.getByText("0 of 50").first()).toBeVisible();
  expect(await owner.getByRole("row").count()).toBeLessThanOrEqual(60);
  expect(asked.filter((it) => it.includes("flag-index"))).toHaveLength(1);
  expect(asked.filter((it) => /\/flags\/flag-/.test(it))).toEqual([]);
  const search = owner.getByRole("searchbox");
  await search.focus();
  // What is still on its way (the strip, the count of stale flags) is no answer to a key.
  const still = async () => {
    const commits = await owner.evaluate(() => window.commits);
    await owner.evaluate(async () => {
      for (let frame = 0; frame < 30; frame += 1) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    });
    return (await owner.evaluate(() => window.commits)) - commits;
  };
  await expect.poll(still).toBe(0);
  const before = asked.length;
  // Counted in the page, in the two frames after each key: the address follows when typing rests.
  await owner.evaluate(() => {
    window.perKey = [];
    addEventListener(
      "keydown",
      () => {
        const before = window.commits;
        requestAnimationFrame(() =>
          requestAnimationFrame(() => window.perKey.push(window.commits - before)),
        );
      },
      true,
    );
  });
  await owner.keyboard.type("flag-4321", { delay: 80 });
  await expect(search).toHaveValue("flag-4321");
  const perKey = () => owner.evaluate(() => window.perKey);
  await expect.poll(async () => (await perKey()).length).toBe(9);
  expect(Math.max(...(await perKey())), "commits of a key").toBeLessThanOrEqual(2);
  // It does listen.
  expect(await owner.evaluate(() => window.commits)).toBeGreaterThan(9);
  await expect(owner.getByRole("row")).toHaveCount(2);
  await expect(owner).toHaveURL(/q=flag-4321/);
  // Looked for where it is shown.
  expect(asked.slice(before).filter((it) => it.includes("/api/"))).toEqual([]);
});
