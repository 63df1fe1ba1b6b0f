/** What the palette offers for what is typed. */
import type { TFunction } from "i18next";
import type { Schemas } from "@/lib/api/client";
import * as segments from "@/lib/model/segment";
import { PLACES, addressOf } from "@/lib/places";
import type { Visited } from "@/lib/recent";
import type { Meant } from "./command";

export interface Entry {
  id: string;
  group: "do" | "found" | "recent" | "go";
  title: string;
  more: string;
  run: () => void;
}

export interface Quick {
  flag: string;
  environment: string;
  want?: boolean;
  share?: number;
}

/** Users that programs asked for, and where. */
export interface KnownUsers {
  environment: string;
  items: Schemas["EndUserView"][];
}

/** What entries need to be done. */
export interface Hands {
  t: TFunction;
  percent: (share: number) => string;
  /** The addresses that there are. */
  pages: object;
  organization: string;
  project: string | undefined;
  environments: string[];
  go: (href: string) => void;
  quick: (it: Quick) => void;
  archive: (flag: string) => void;
  create: (name: string) => void;
}

/** More of a kind than this is narrowed by typing on. */
const MOST = 8;

/** A command, for each flag that it may mean. */
export function commands(meant: Meant, flags: Schemas["FoundView"][], hands: Hands): Entry[] {
  const { t } = hands;
  if (meant.kind === "create") {
    const { name } = meant;
    const title = t("palette.create", { name });
    return [{ id: "create", group: "do", title, more: "", run: () => hands.create(name) }];
  }
  return flags.flatMap((flag) => forFlag(meant, flag, hands)).slice(0, MOST);
}

function forFlag(
  meant: Exclude<Meant, { kind: "create" }>,
  { key, name }: Schemas["FoundView"],
  hands: Hands,
): Entry[] {
  const { t, organization, project, environments } = hands;
  const flag = `/${organization}/${project}/flags/${key}`;
  const one = (title: string, run: () => void): Entry => ({
    // It says what is done, to what, and where.
    id: title,
    group: "do",
    title,
    more: name === key ? "" : name,
    run,
  });
  switch (meant.kind) {
    case "switch":
      return meant.environments.map((environment) => {
        const words = { flag: key, environment };
        const title = t(meant.on ? "palette.turnOn" : "palette.turnOff", words);
        return one(title, () => hands.quick({ flag: key, environment, want: meant.on }));
      });
    case "roll":
      return meant.environments.map((environment) => {
        const { share } = meant;
        const words = { flag: key, environment, share: hands.percent(share) };
        const title = t("palette.roll", words);
        return one(title, () => hands.quick({ flag: key, environment, share }));
      });
    case "why":
      return meant.environments.map((environment) => {
        const words = { flag: key, environment, user: meant.user };
        const asked = `${flag}/${environment}/why?user=${encodeURIComponent(meant.user)}`;
        return one(t("palette.why", words), () => hands.go(asked));
      });
    case "archive":
      return [one(t("palette.archive", { flag: key }), () => hands.archive(key))];
    case "history":
      return [one(t("palette.history", { flag: key }), () => hands.go(`${flag}/history`))];
    case "compare": {
      const [from, to] = environments.slice(0, 2);
      const path = "/$organization/$project/flags/$flag/compare/$pair";
      if (from === undefined || to === undefined || !(path in hands.pages)) return [];
      const pair = `${flag}/compare/${to}..${from}`;
      return [one(t("palette.compare", { flag: key }), () => hands.go(pair))];
    }
  }
}

/** Pages whose name has the text; those of single environments where one looks for them. */
export function places(text: string, hands: Hands): Entry[] {
  const { t, pages, organization, project, go } = hands;
  const ofEnvironments = text === "" ? [] : inEnvironments(text, hands);
  const general = PLACES.flatMap((place): Entry[] => {
    const to = addressOf(place, pages, organization, project);
    const title = t(`place.${place.id}`);
    if (to === undefined || !title.toLowerCase().includes(text.toLowerCase())) return [];
    return [{ id: place.id, group: "go", title, more: t("palette.page"), run: () => go(to) }];
  });
  return [...general, ...ofEnvironments];
}

/** What there is of each environment: the SDKs that are connected, and what users were given. */
const OF_ENVIRONMENTS = {
  connections: "/$organization/$project/settings/environments/$environment/connections",
  decisions: "/$organization/$project/decisions/$environment",
} as const;

function inEnvironments(text: string, hands: Hands): Entry[] {
  const { t, pages, organization, project, environments, go } = hands;
  const kinds = ["connections", "decisions"] as const;
  const all = kinds.flatMap((kind) => environments.map((environment) => ({ kind, environment })));
  const named = all.flatMap(({ kind, environment }): Entry[] => {
    const title = t(`palette.${kind}`, { environment });
    if (!title.toLowerCase().includes(text.toLowerCase())) return [];
    const of = { path: OF_ENVIRONMENTS[kind] };
    const to = addressOf(of, pages, organization, project)?.replace("$environment", environment);
    if (to === undefined) return [];
    return [{ id: to, group: "go", title, more: t("palette.page"), run: () => go(to) }];
  });
  return named.slice(0, MOST);
}

/** Where one was, but for where one is. */
export function recent(all: Visited[], here: string, { organization, go }: Hands): Entry[] {
  const others = all.filter((it) => it.path.startsWith(`/${organization}/`) && it.path !== here);
  return others.slice(0, 5).map(({ path, title }) => ({
    id: path,
    group: "recent",
    title,
    more: "",
    run: () => go(path),
  }));
}

/** What the server found, and where that leads. */
export function found(all: Schemas["FoundView"][], hands: Hands): Entry[] {
  const { t, organization, pages, go } = hands;
  return all.flatMap((it): Entry[] => {
    const of = it.project ?? it.key;
    const entry = (more: string, to: string): Entry[] => [
      { id: it.id, group: "found", title: it.name, more, run: () => go(to) },
    ];
    switch (it.kind) {
      case "project":
        return entry(t("palette.project"), `/${organization}/${it.key}/flags`);
      case "flag":
        return entry(`${of} / ${it.key}`, `/${organization}/${of}/flags/${it.key}`);
      case "segment": {
        // One of the organization is looked at from the project that is there.
        const project = it.project ?? hands.project;
        const path = "/$organization/$project/segments/$place/$segment";
        if (project === undefined || !(path in pages)) return [];
        const scope = {
          project: it.project ?? undefined,
          environment: it.environment ?? undefined,
        };
        const place = segments.addressOf(scope as segments.SegmentPlace);
        const to = `/${organization}/${project}/segments/${place}/${it.key}`;
        return entry(t("palette.segment", { key: it.key }), to);
      }
      case "member": {
        const path = "/$organization/settings/members/$member";
        if (!(path in pages)) return [];
        return entry(it.key, `/${organization}/settings/members/${it.id}`);
      }
      default:
        return [];
    }
  });
}

/** Users, each with the page that says what they get. */
export function users({ environment, items }: KnownUsers, hands: Hands): Entry[] {
  const { t, organization, project, go } = hands;
  return items.map(({ key, name }) => ({
    id: `user ${key}`,
    group: "found",
    title: name === "" ? key : name,
    more: t("palette.user", { key, environment }),
    run: () => go(`/${organization}/${project}/users/${environment}/${encodeURIComponent(key)}`),
  }));
}

/** Requests whose title has the text. */
export function requests(all: Schemas["RequestView"][], text: string, hands: Hands): Entry[] {
  const those = all.filter((it) => it.title.toLowerCase().includes(text.toLowerCase()));
  return those.slice(0, MOST).map((it) => ({
    id: it.id,
    group: "found",
    title: it.title,
    more: hands.t("palette.request"),
    run: () => hands.go(`/${hands.organization}/changes/${it.id}`),
  }));
}
