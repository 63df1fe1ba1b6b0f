import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate, useParams, useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { requestsToNameQuery, searchQuery } from "@/lib/api/search";
import { environmentsQuery, flagQuery } from "@/lib/api/queries";
import { withFlag } from "@/lib/draft/draft";
import { changeDraft } from "@/lib/draft/store";
import { useFormat } from "@/lib/format";
import { shownEnvironments } from "@/lib/pinned";
import { wholeFlag } from "@/lib/model/flag";
import { said } from "@/lib/problems";
import { visited } from "@/lib/recent";
import { useSettled } from "@/lib/settled";
import { toast } from "@/lib/toasts";
import { type Here, command } from "./command";
import * as offer from "./entries";
import { useUsers } from "./use-users";

interface Asked {
  organization: string;
  project: string | undefined;
  text: string;
  close: () => void;
  quick: (it: offer.Quick) => void;
}

/** What is offered for what was typed, here. */
export function useEntries({ organization, project, text, close, quick }: Asked) {
  const { t } = useTranslation();
  const { share } = useFormat();
  const router = useRouter();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { flag, environment } = useParams({ strict: false });
  const path = useLocation({ select: (it) => it.pathname });
  const environments = useQuery({
    ...environmentsQuery(organization, project ?? ""),
    enabled: project !== undefined,
  });
  const keys = environments.data?.map((it) => it.key) ?? [];
  const here: Here = { environments: keys, flag, environment };
  const typed = text.trim();
  const meant = project === undefined ? undefined : command(typed, here);
  const named = meant && meant.kind !== "create" ? meant.flag : typed;
  // What is looked at is known.
  const present = meant && meant.kind !== "create" && meant.flag === flag;
  const asked = useSettled(present || meant?.kind === "create" ? "" : named);
  const search = useQuery(searchQuery(organization, asked, meant ? "flag" : undefined));
  // Users are of one environment: of the one that is looked at, else of the first that is shown.
  const shown = shownEnvironments(organization, project ?? "") ?? [];
  const users = useUsers({
    organization,
    project: project ?? "",
    environment: environment ?? shown.find((it) => keys.includes(it)) ?? keys[0] ?? "",
    text: meant || typed === "" ? "" : asked,
  });
  const open = useQuery({
    ...requestsToNameQuery(organization),
    enabled: typed !== "" && meant === undefined,
  });

  const hands: offer.Hands = {
    t,
    percent: share,
    pages: router.routesByPath,
    organization,
    project,
    environments: keys,
    quick,
    go: (href) => {
      close();
      router.history.push(href);
    },
    archive: (key) => {
      close();
      void archive(key);
    },
    create: (name) => {
      close();
      if (project === undefined) return;
      void navigate({
        to: "/$organization/$project/flags",
        params: { organization, project },
        search: { create: true },
        state: { newFlag: name },
      });
    },
  };
  async function archive(key: string) {
    if (project === undefined) return;
    try {
      const detail = await queries.fetchQuery(flagQuery(organization, project, key));
      const whole = wholeFlag(project, detail);
      changeDraft((draft) => withFlag(draft, whole, (it) => ({ ...it, archived: true })));
    } catch (error) {
      toast(said(t, error).text);
    }
  }

  if (typed === "") {
    const verbs = flag === undefined ? [] : ["off", "on", "history", "compare", "archive"];
    const known = verbs.flatMap((it) => command(it, here) ?? []);
    const doing = known.flatMap((it) => offer.commands(it, aFlag(flag ?? ""), hands));
    const was = offer.recent(visited(), path, hands);
    return { entries: [...doing, ...was, ...offer.places("", hands)], waiting: false };
  }
  const items = search.data?.items ?? [];
  const waiting = search.isFetching || asked !== (present ? "" : named);
  if (meant) {
    const flags = items.filter((it) => it.kind === "flag" && it.project === project);
    const those = present ? aFlag(named) : flags;
    const doing = offer.commands(meant, those, hands);
    return { entries: doing, waiting: waiting && meant.kind !== "create" && !present };
  }
  const entries = [
    ...offer.found(items, hands),
    ...offer.users(users.known, hands),
    ...offer.requests(open.data ?? [], typed, hands),
    ...offer.places(typed, hands),
  ];
  return { entries, waiting: waiting || users.waiting };
}

const aFlag = (key: string) => [
  { id: key, key, name: key, kind: "flag" as const, archived: false },
];
