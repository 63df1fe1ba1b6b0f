/** A project where changes are asked for, and another person who agrees. */
import type { Browser, Page } from "@playwright/test";
import type { Server } from "./server.ts";
import { enter } from "./test.ts";

export type Call = <T>(method: string, route: string, body?: unknown) => Promise<T>;

const PASSWORD = "sextant-compass-4";

/** Makes a project, whose `prod` asks for an approval and a comment; `dev` asks nothing. */
export async function askedProject(server: Server) {
  const cookie = await server.owner();
  const call: Call = (method, route, body) => server.call(cookie, method, route, body);
  await call("POST", "/projects", { key: "asked", name: "Asked" });
  for (const key of ["dev", "prod"]) {
    // One after the other: their order is that of their making.
    // oxlint-disable-next-line no-await-in-loop
    await call("POST", "/projects/asked/environments", { key, name: key });
  }
  const rules = { comment: "required", approvals: { required: 1 } };
  await call("PUT", "/projects/asked/environments/prod/rules", rules);
  await join(server, call, "ken@changes.example", "Ken");
}

async function join(server: Server, call: Call, email: string, name: string) {
  const made = await call<{ link: string }>("POST", "/invitations", { email, policies: ["owner"] });
  const link = new URL(made.link).hash.slice(1);
  await server.call("", "POST", "/links/follow", { link, name, password: PASSWORD });
}

/** A flag with one user by name in both environments, and on in them. */
export async function flag(call: Call, key: string) {
  const on = ["dev", "prod"].map((environment) => ({ kind: "turnOn", flag: key, environment }));
  await call("POST", "/projects/asked/changes", {
    comment: "made for a test",
    override: { reason: "made for a test" },
    commands: [{ kind: "createFlag", flag: key, type: "boolean" }, ...on],
  });
}

export async function request(call: Call, key: string, title: string) {
  const commands = [{ kind: "turnOff", project: "asked", environment: "prod", flag: key }];
  const body = { title, comment: "it has to be", commands };
  return call<{ id: string }>("POST", "/requests", body);
}

/** Another person's browser. */
export async function ken(browser: Browser, server: Server): Promise<Page> {
  const context = await browser.newContext();
  await enter(context, server, await server.signIn("ken@changes.example", PASSWORD));
  return context.newPage();
}

export const by = (server: Server, path: string) => `${server.url}${path}`;
export const target = (page: Page, environment: string) =>
  page.getByLabel(`Users who get false in ${environment}`);
