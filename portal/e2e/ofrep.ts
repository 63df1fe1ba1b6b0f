import type { Server } from "./server.ts";
import { expect } from "./test.ts";

/** Asks for a flag as an OpenFeature provider in a browser does. */
export async function asks(server: Server, secret: string, flag: string, context: object) {
  const answer = await fetch(`${server.url}/ofrep/v1/evaluate/flags/${flag}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ context }),
  });
  expect(answer.status).toBe(200);
}
