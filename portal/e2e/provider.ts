/** The OpenID provider that the API's journeys sign in at: a real one, in this process. */

interface Person {
  email: string;
  email_verified: boolean;
  name?: string;
  groups?: string[];
}

export interface Provider {
  issuer: string;
  client: { id: string; secret: string };
  /** By the name that they sign in with there. */
  people: Record<string, Person>;
  stop(): Promise<void>;
}

interface Harness {
  Provider: { start(redirect: string): Promise<Provider> };
}

/** Starts one that sends browsers back to `redirect`. */
export async function startProvider(redirect: string): Promise<Provider> {
  // It has packages of its own, beside it.
  const harness = new URL("../../e2e/harness/provider.js", import.meta.url);
  const { Provider } = (await import(harness.href)) as Harness;
  return Provider.start(redirect);
}
