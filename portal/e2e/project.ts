/** A project of its own, with flags of these keys. */
export async function project(
  call: <T>(method: string, route: string, body?: unknown) => Promise<T>,
  key: string,
  flags: string[],
  environments = ["dev", "prod"],
): Promise<string> {
  await call("POST", "/projects", { key });
  for (const environment of environments) {
    await call("POST", `/projects/${key}/environments`, { key: environment });
  }
  for (let from = 0; from < flags.length; from += 500) {
    const commands = flags.slice(from, from + 500).map((flag, index) => ({
      kind: "createFlag",
      flag,
      type: "boolean",
      tags: [`team-${(from + index) % 20}`],
    }));
    await call("POST", `/projects/${key}/changes`, { commands });
  }
  return `/default/${key}/flags`;
}
