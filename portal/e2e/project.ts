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

/** What a program tells of its evaluations: so many of each flag, a moment ago. */
export async function evaluated(
  call: <T>(method: string, route: string, body?: unknown) => Promise<T>,
  url: string,
  name: string,
  environment: string,
  counts: Record<string, number>,
) {
  const keys = await call<{ items: { kind: string; secret: string }[] }>(
    "GET",
    `/projects/${name}/environments/${environment}/sdk-keys`,
  );
  const found = await call<{ items: { key: string; variations: { id: string }[] }[] }>(
    "GET",
    `/projects/${name}/flags`,
  );
  const variations = Object.entries(counts).flatMap(([key, count]) => {
    const id = found.items.find((it) => it.key === key)?.variations[0]?.id;
    const variation = { id, value: "true" };
    return Array.from({ length: count }, () => ({
      featureFlagKey: key,
      variation,
      timestamp: Date.now(),
    }));
  });
  const response = await fetch(`${url}/api/public/insight/track`, {
    method: "POST",
    headers: {
      authorization: keys.items.find((it) => it.kind === "server")?.secret ?? "",
      "content-type": "application/json",
    },
    body: JSON.stringify([{ user: { keyId: "ana", name: "Ana" }, variations }]),
  });
  if (!response.ok) throw new Error(`track: ${response.status} ${await response.text()}`);
}
