// A team moves from FeatBit: its flags, its segments and its secret, so that its programs go on as
// they are.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { streaming, until } from "../harness/node-sdk.js";
import { Server } from "../harness/server.js";

// As FeatBit makes them: 44 characters.
const SECRET = "kZ3hT0qVx0uWm1cJ8sYb4gQpNf7eRdXaLw2iBvUoHtEy";
const SEGMENT = "5f0c1f0e-6a52-4a0c-9a53-0d3a2f1b7c11";
const [TRUE, FALSE] = [
  "0b8a1c36-5a0b-4d61-8f0e-3a5a3f0f7d01",
  "0b8a1c36-5a0b-4d61-8f0e-3a5a3f0f7d02",
];
const ENVIRONMENT = "2c1f8f5a-5a43-4b43-b7e3-8d6f6a3f9b10";
const when = { createdAt: "2024-03-01T10:00:00.123Z", updatedAt: "2024-05-02T11:00:00.456Z" };

const segments = [
  {
    ...when,
    id: SEGMENT,
    envId: ENVIRONMENT,
    name: "Staff",
    description: "",
    included: ["ada"],
    excluded: [],
    rules: [],
    isArchived: false,
  },
];
const everybody = (id) => [{ id, rollout: [0, 1], exptRollout: 1 }];
const flags = [
  {
    ...when,
    id: "9a6f4b0e-7d1c-4f59-9a4e-6f2b8c0d1e21",
    envId: ENVIRONMENT,
    name: "New checkout",
    description: "",
    key: "new-checkout",
    variationType: "boolean",
    variations: [
      { id: TRUE, value: "true" },
      { id: FALSE, value: "false" },
    ],
    targetUsers: [],
    rules: [
      {
        id: "7b1d2c3e-0f4a-4b5c-8d6e-9f0a1b2c3d4e",
        name: "Staff",
        dispatchKey: null,
        includedInExpt: false,
        conditions: [
          { property: "User is in segment", op: null, value: JSON.stringify([SEGMENT]) },
        ],
        variations: everybody(TRUE),
      },
    ],
    isEnabled: true,
    disabledVariationId: FALSE,
    fallthrough: { dispatchKey: null, includedInExpt: true, variations: everybody(FALSE) },
    exptIncludeAllTargets: true,
    tags: [],
    isArchived: false,
  },
];

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

test("a program finds its flags under its old secret, and sees a change", async () => {
  const file = (name) => path.join(server.dataDir, name);
  await writeFile(file("flags.json"), JSON.stringify(flags));
  await writeFile(file("segments.json"), JSON.stringify(segments));
  const place = ["--project", "default", "--environment", "prod"];
  const files = ["--flags", file("flags.json"), "--segments", file("segments.json")];
  await server.cli(
    "import",
    "featbit",
    ...place,
    ...files,
    "--sdk-key",
    `server=${SECRET}`,
    "--json",
  );

  const client = streaming(SECRET, server.url);
  await client.waitForInitialization();
  const serves = (key) => client.boolVariation("new-checkout", { key, name: key }, undefined);
  await until(client, async () => (await serves("ada")) === true);
  assert.equal(await serves("grace"), false);

  await server.api("POST", "/projects/default/changes", {
    commands: [{ kind: "turnOff", environment: "prod", flag: "new-checkout" }],
  });
  await until(client, async () => (await serves("ada")) === false);
  await client.close();
});
