import type { Server } from "./server.ts";

export const PASSWORD = "sextant-compass-4";

interface Invited {
  email: string;
  policies?: string[];
  groups?: string[];
}

/** Somebody who joined, and their session. */
export async function joined(
  call: <T>(method: string, route: string, body?: unknown) => Promise<T>,
  server: Server,
  name: string,
  invited: Invited,
): Promise<string> {
  const made = await call<{ link: string }>("POST", "/invitations", invited);
  const link = new URL(made.link).hash.slice(1);
  await server.call("", "POST", "/links/follow", { link, name, password: PASSWORD });
  return server.signIn(invited.email, PASSWORD);
}
