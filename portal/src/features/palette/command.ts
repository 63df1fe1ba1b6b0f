/** What is typed as a command: `off new-cart prod`, `10% new-cart`, `why ana new-cart`. */
export type Meant =
  | { kind: "switch"; on: boolean; flag: string; environments: string[] }
  | { kind: "roll"; share: number; flag: string; environments: string[] }
  | { kind: "why"; user: string; flag: string; environments: string[] }
  | { kind: "archive" | "history" | "compare"; flag: string }
  | { kind: "create"; name: string };

/** Where it is typed: commands without a name are about what is looked at. */
export interface Here {
  environments: string[];
  flag?: string | undefined;
  environment?: string | undefined;
}

/** The command that a text is, where it is one. What it names may be begun only. */
export function command(text: string, here: Here): Meant | undefined {
  const share = /^(\d+(?:[.,]\d+)?)\s*%\s*(.*)$/.exec(text.trim());
  if (share) {
    const part = Number((share[1] ?? "").replace(",", ".")) / 100;
    const place = part <= 1 ? placed(words(share[2] ?? ""), here) : undefined;
    return place && { kind: "roll", share: part, ...place };
  }
  const [verb = "", ...rest] = words(text);
  switch (verb.toLowerCase()) {
    case "on":
    case "off": {
      const place = placed(rest, here);
      return place && { kind: "switch", on: verb.toLowerCase() === "on", ...place };
    }
    case "why": {
      const [user, ...more] = rest;
      const place = placed(more, here);
      return user === undefined || !place ? undefined : { kind: "why", user, ...place };
    }
    case "archive":
    case "history":
    case "compare": {
      const flag = rest[0] ?? here.flag;
      if (flag === undefined || rest.length > 1) return undefined;
      return { kind: verb.toLowerCase() as "archive", flag };
    }
    case "create": {
      const name = rest.slice(rest[0] === "flag" ? 1 : 0).join(" ");
      return name === "" ? undefined : { kind: "create", name };
    }
    default:
      return undefined;
  }
}

const words = (text: string) => text.trim().split(/\s+/).filter(Boolean);

/** A flag and where: everywhere where only the flag is named, here where only the environment is. */
function placed(
  rest: string[],
  { environments, flag, environment }: Here,
): { flag: string; environments: string[] } | undefined {
  const [first, second] = rest;
  if (rest.length > 2) return undefined;
  if (first === undefined) {
    if (flag === undefined) return undefined;
    return { flag, environments: environment === undefined ? environments : [environment] };
  }
  if (second === undefined) {
    const place = begun(first, environments);
    if (flag !== undefined && place !== undefined) return { flag, environments: [place] };
    return { flag: first, environments };
  }
  const place = begun(second, environments);
  return place === undefined ? undefined : { flag: first, environments: [place] };
}

function begun(start: string, environments: string[]): string | undefined {
  const text = start.toLowerCase();
  const exact = environments.find((it) => it.toLowerCase() === text);
  return exact ?? environments.find((it) => it.toLowerCase().startsWith(text));
}
