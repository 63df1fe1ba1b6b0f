import type { Page } from "@playwright/test";
import { secretOf } from "../stream.ts";
import { expect } from "../test.ts";
import { type Shown, call } from "./shown.ts";

const PROD = "/default/demo/users/prod";

/** Users of the demo project; the same ones each time. */
async function known(page: Page) {
  const countries = ["de", "at", "ch", "fr", "jp"];
  const lines = Array.from({ length: 60 }, (_, index) =>
    JSON.stringify({
      key: `user-${String(index).padStart(3, "0")}`,
      name: ["Ana Lima", "Ben Okafor", "千尋", ""][index % 4],
      properties: {
        country: countries[index % countries.length],
        plan: index % 3 === 0 ? "pro" : "",
        appVersion: `2.${index % 7}.0`,
        organisation: "Werft am Hafen, Abteilung für besonders lange Namen von Eigenschaften",
      },
    }),
  );
  const address = new URL("/api/v1/projects/demo/environments/prod/users", page.url());
  const headers = { "content-type": "application/x-ndjson" };
  const answer = await page.request.post(address.href, { headers, data: lines.join("\n") });
  expect(answer.status()).toBe(200);
  await page.reload();
}

const listed = async (page: Page) => {
  await known(page);
  await expect(page.getByRole("link", { name: "user-000" })).toBeVisible();
};

/** What one user that is known and one that is not are given of all flags. */
async function decided(page: Page) {
  await known(page);
  const environment = "/projects/demo/environments/prod";
  await call(page, "PATCH", environment, { decisionLog: { sample: 1 } });
  const ask = <T>(method: string, route: string) => call<T>(page, method, route);
  const secret = await secretOf(ask, "demo", "prod", "client");
  for (const targetingKey of ["user-001", "nobody"]) {
    await page.request.post(new URL("/ofrep/v1/evaluate/flags", page.url()).href, {
      headers: { authorization: `Bearer ${secret}` },
      data: { context: { targetingKey } },
    });
  }
  const logged = () => call<{ items: object[] }>(page, "GET", `${environment}/decisions`);
  await expect.poll(async () => (await logged()).items.length).toBeGreaterThan(4);
  await page.reload();
  await expect(page.getByText("The explanation says the same.").first()).toBeVisible();
}

export const users: Shown[] = [
  {
    name: "users-none",
    path: "/default/default/users/prod",
    ready: (page) => expect(page.getByText("No user is known in prod yet")).toBeVisible(),
  },
  { name: "users", path: PROD, ready: listed },
  {
    name: "users-upload",
    path: `${PROD}?upload=true`,
    async ready(page) {
      const panel = page.getByRole("dialog");
      await panel.getByLabel("Or paste it").fill("key,name,country\nana,Ana,de\n,Nobody,fr\n");
      await expect(panel.getByText("Line 3: no key")).toBeVisible();
    },
  },
  {
    name: "users-forget",
    path: `${PROD}?forget=true`,
    ready: (page) => expect(page.getByRole("dialog").getByLabel("Key")).toBeVisible(),
  },
  {
    name: "decisions-off",
    path: "/default/default/decisions/prod",
    ready: (page) => expect(page.getByText("Nothing was logged in prod yet")).toBeVisible(),
  },
  { name: "decisions", path: "/default/demo/decisions/prod", ready: decided },
  {
    name: "user",
    path: `${PROD}/user-000`,
    async ready(page) {
      await known(page);
      await expect(page.getByRole("link", { name: "Why: theme" })).toBeVisible();
    },
  },
  {
    name: "user-properties",
    path: "/default/demo/user-properties",
    ready: (page) => expect(page.getByRole("cell", { name: "keyId" })).toBeVisible(),
  },
  {
    name: "user-property",
    path: "/default/demo/user-properties?property=country",
    ready: (page) => expect(page.getByRole("dialog").getByLabel("What it means")).toBeVisible(),
  },
];
