/** What is typed as a command: `off new-cart prod`. */
export interface Switching {
  on: boolean;
  flag: string;
  environment: string;
}

/** The command that a text is, where it is one; the environment may be begun only. */
export function command(text: string, environments: string[]): Switching | undefined {
  const [verb, flag, start, ...rest] = text.trim().toLowerCase().split(/\s+/);
  if ((verb !== "on" && verb !== "off") || !flag || !start || rest.length > 0) return undefined;
  const exact = environments.find((it) => it.toLowerCase() === start);
  const environment = exact ?? environments.find((it) => it.toLowerCase().startsWith(start));
  return environment === undefined ? undefined : { on: verb === "on", flag, environment };
}
