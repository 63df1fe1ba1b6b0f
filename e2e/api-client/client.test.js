// The TypeScript client against a real server: that what it sends is understood, and that what the
// server refuses is thrown as what it is.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { DEMO, Server } from "../harness/server.js";

let server;
let folder;
let api;
before(async () => {
  server = await Server.start();
  folder = await mkdtemp(path.join(os.tmpdir(), "burgee-client-"));
  const outfile = path.join(folder, "client.mjs");
  const source = fileURLToPath(new URL("../../packages/api-client/src/index.ts", import.meta.url));
  await build({ entryPoints: [source], bundle: true, format: "esm", platform: "node", outfile });
  api = await import(pathToFileURL(outfile));
});
after(async () => {
  await rm(folder, { recursive: true });
  await server.stop();
});

test("the client reads, changes and is refused", async () => {
  const client = api.burgee({ baseUrl: server.url, token: server.token });
  const params = { path: { project: DEMO.project }, query: { environments: DEMO.environment } };
  const index = await client.GET("/api/v1/projects/{project}/flag-index", { params });
  const flag = index.data.items.find((item) => item.cells[0]?.on);
  assert.ok(flag, "a flag is on");

  const body = { commands: [{ kind: "turnOff", flag: flag.key, environment: DEMO.environment }] };
  const path = { project: DEMO.project };
  const changed = await client.POST("/api/v1/projects/{project}/changes", {
    params: { path },
    body,
  });
  assert.ok(changed.data.diff.length > 0);
  const again = await client.GET("/api/v1/projects/{project}/flag-index", {
    params,
    headers: { "If-None-Match": index.response.headers.get("etag") },
  });
  assert.equal(again.data.items.find((item) => item.key === flag.key).cells[0].on, false);

  const wrong = { commands: [{ ...body.commands[0], flag: "nowhere" }] };
  const refused = client.POST("/api/v1/projects/{project}/changes", {
    params: { path },
    body: wrong,
  });
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof api.Refused);
    assert.equal(error.status, 404);
    assert.equal(error.problem.errors[0].pointer, "/commands/0/flag");
    return true;
  });
  const nobody = api.burgee({ baseUrl: server.url });
  await assert.rejects(nobody.GET("/api/v1/projects"), { status: 401 });
});
