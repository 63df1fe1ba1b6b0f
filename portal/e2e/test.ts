/** What the browser tests share: a server each file, somebody signed in, and a page that is watched. */
import { type BrowserContext, type Page, test as base, expect } from "@playwright/test";
import { OWNER, Server } from "./server.ts";

interface Fixtures {
  /** The server of the file that the test is in. */
  server: Server;
  /** A page of the owner. */
  owner: Page;
  /** The API as the owner. */
  call: <T>(method: string, route: string, body?: unknown) => Promise<T>;
}

/** One server after the other: that of a file lives until another file asks for one. */
class Servers {
  private file = "";
  private running: Server | undefined;

  async of(file: string): Promise<Server> {
    if (this.running && this.file === file) return this.running;
    await this.stop();
    const server = await Server.start();
    this.file = file;
    this.running = server;
    const first = await server.signIn(OWNER.email, server.firstPassword);
    const body = { current: server.firstPassword, new: OWNER.password };
    await server.call(first, "POST", "/me/password", body);
    return server;
  }

  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    await running?.stop();
  }
}

export const test = base.extend<Fixtures, { servers: Servers }>({
  servers: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const servers = new Servers();
      await use(servers);
      await servers.stop();
    },
    { scope: "worker" },
  ],
  server: async ({ servers }, use, info) => {
    await use(await servers.of(info.file));
  },
  owner: async ({ context, server }, use) => {
    await enter(context, server, await server.owner());
    const page = await context.newPage();
    const wrong = watch(page);
    await use(page);
    expect(wrong).toEqual([]);
  },
  call: async ({ server }, use) => {
    const cookie = await server.owner();
    await use((method, route, body) => server.call(cookie, method, route, body));
  },
});

export { expect };

/** Gives a browser a session. */
export async function enter(context: BrowserContext, server: Server, cookie: string) {
  const [name = "", ...value] = cookie.split("=");
  await context.addCookies([{ name, value: value.join("="), url: server.url }]);
}

/** What must not happen on a page: an error of ours, and anything that its policy forbids. */
export function watch(page: Page): string[] {
  const wrong: string[] = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => {
    const text = message.text();
    // A refusal that the page says to people is one for the console, too.
    if (message.type() === "error" && !text.startsWith("Failed to load resource")) wrong.push(text);
  });
  return wrong;
}

/** A flag in the demo project, made by the API. */
export async function flag(call: Fixtures["call"], key: string, on: string[] = []): Promise<void> {
  const turned = on.map((environment) => ({ kind: "turnOn", flag: key, environment }));
  await call("POST", "/projects/demo/changes", {
    commands: [{ kind: "createFlag", flag: key, type: "boolean" }, ...turned],
  });
}

interface Served {
  items: { variation?: { value: string } | null }[];
}

/** What a user gets. */
export async function served(
  call: Fixtures["call"],
  environment: string,
  key: string,
  user: { key: string; properties?: Record<string, string> },
): Promise<string | undefined> {
  const route = `/projects/demo/environments/${environment}/evaluate`;
  const answer = await call<Served>("POST", route, { properties: {}, ...user, flag: key });
  return answer.items[0]?.variation?.value;
}
