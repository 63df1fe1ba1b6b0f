/** Flags to look at, with everything that a page of a flag can show. */
import type { Page } from "@playwright/test";
import { call } from "./shown.ts";

const PROJECT = "looks";
export const AT = `/default/${PROJECT}/flags`;

const VALUES = ["classic", "compact", "cards", "one-page"];

/** A project whose `prod` is protected and asks for approval, with flags in all states. */
export async function made(page: Page): Promise<void> {
  const { items } = await call<{ items: { key: string }[] }>(page, "GET", "/projects?limit=500");
  if (items.some((it) => it.key === PROJECT)) return;
  await call(page, "POST", "/projects", { key: PROJECT, name: "Shop" });
  const environments = `/projects/${PROJECT}/environments`;
  await call(page, "POST", environments, { key: "dev", name: "Development" });
  await call(page, "POST", environments, { key: "prod", name: "Production" });
  await call(page, "PATCH", `${environments}/prod`, { protected: true });
  const variations = VALUES.map((value) => ({ id: value, value, name: value }));
  const on = (flag: string) => ({ kind: "turnOn", flag, environment: "dev" });
  const json = (value: object) => JSON.stringify(value);
  await call(page, "POST", `/projects/${PROJECT}/changes`, {
    comment: "The shop as it is",
    commands: [
      {
        kind: "createFlag",
        flag: "checkout",
        type: "string",
        name: "Checkout",
        description: "Which way to pay people see.",
        tags: ["payments", "web"],
        variations,
      },
      on("checkout"),
      { ...on("checkout"), environment: "prod" },
      ...["dev", "prod"].map((environment) => ({
        kind: "setDefaultRule",
        flag: "checkout",
        environment,
        variations: VALUES.map((id, index) => ({ id, rollout: [index / 4, (index + 1) / 4] })),
      })),
      {
        kind: "setRules",
        flag: "checkout",
        environment: "dev",
        rules: [
          {
            name: "Known customers in the north, with a new app",
            conditions: [
              condition("country", "IsOneOf", json(["de", "dk", "ee", "fi", "is", "no", "se"])),
              condition("appVersion", "SemverBiggerEqualThan", "2.3"),
              condition("email", "EndsWith", "@example.org"),
              condition("age", "BiggerEqualThan", "18"),
              condition("plan", "NotEqual", "free"),
            ],
            variation: "one-page",
          },
          {
            conditions: [condition("beta", "IsTrue", "")],
            variations: [
              { id: "cards", rollout: [0, 0.1] },
              { id: "classic", rollout: [0.1, 1] },
            ],
          },
        ],
      },
      {
        kind: "setTargets",
        flag: "checkout",
        environment: "dev",
        variation: "cards",
        keys: Array.from({ length: 1_000 }, (_, index) => `customer-${index + 1}`),
      },
      {
        kind: "createFlag",
        flag: "limits",
        type: "json",
        name: "Limits",
        variations: [
          { name: "Small", value: json({ items: 10, upload: { megabytes: 5, kinds: ["png"] } }) },
          { name: "Large", value: json({ items: 500, upload: { megabytes: 100, kinds: ["*"] } }) },
        ],
      },
      on("limits"),
      { kind: "createFlag", flag: "old-banner", type: "boolean", name: "Old banner" },
      { kind: "createFlag", flag: "new-search", type: "boolean", name: "New search" },
      on("new-search"),
      { ...on("new-search"), environment: "prod" },
    ],
  });
  await call(page, "POST", `/projects/${PROJECT}/changes`, {
    commands: [{ kind: "archiveFlag", flag: "old-banner" }],
  });
  await call(page, "POST", `/projects/${PROJECT}/changes`, {
    comment: "The index is a day behind",
    commands: [{ kind: "turnOff", flag: "new-search", environment: "dev" }],
  });
  await evaluated(page);
  const rules = { comment: "required", approvals: { required: 1 } };
  await call(page, "PUT", `${environments}/prod/rules`, rules);
}

const condition = (property: string, op: string, value: string) => ({ property, op, value });

/** What a program would tell of the last 24 hours. */
async function evaluated(page: Page): Promise<void> {
  const keys = await call<{ items: { kind: string; secret: string }[] }>(
    page,
    "GET",
    `/projects/${PROJECT}/environments/dev/sdk-keys`,
  );
  const secret = keys.items.find((it) => it.kind === "server")?.secret ?? "";
  const entries = Array.from({ length: 480 }, (_, index) => ({
    user: {
      keyId: `customer-${index}`,
      name: `Customer ${index}`,
      customizedProperties: [{ name: "country", value: index % 3 === 0 ? "de" : "fr" }],
    },
    variations: [
      {
        featureFlagKey: "checkout",
        variation: { id: VALUES[(index * index) % 4], value: "" },
        timestamp: Date.now() - ((index * 7) % 20) * 3_600_000,
      },
    ],
  }));
  const { origin } = new URL(page.url());
  const answer = await page.request.post(`${origin}/api/public/insight/track`, {
    headers: { authorization: secret },
    data: entries,
  });
  if (!answer.ok()) throw new Error(`track: ${answer.status()} ${await answer.text()}`);
}
