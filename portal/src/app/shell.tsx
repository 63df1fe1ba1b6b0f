import { useQuery } from "@tanstack/react-query";
import { Outlet, useParams, useRouter } from "@tanstack/react-router";
import { Suspense, lazy, useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "@/components/states";
import { withWords } from "@/i18n";
import { Refused, sessionEnded } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";
import { openDraft, useDraft } from "@/lib/draft/store";
import { listen } from "@/lib/events";
import { lastPlace, rememberPlace } from "@/lib/pinned";
import { useStore } from "@/lib/store";
import { Connection } from "./connection";
import { Navigation } from "./navigation";
import { PaletteKey } from "./palette-key";
import { useOwnSettings } from "./own-settings";
import { queries } from "./queries";
import classes from "./shell.module.css";

const ReviewBar = lazy(() =>
  withWords("review", import("@/features/review/bar")).then((it) => ({ default: it.ReviewBar })),
);
const SessionEnded = lazy(() =>
  withWords("session", import("@/features/session/ended")).then((it) => ({
    default: it.SessionEnded,
  })),
);

/** What is around every page: where one is, where one can go, and what is not applied yet. */
export function Shell() {
  const { t } = useTranslation();
  const { organization = "", project: named } = useParams({ strict: false });
  const last = lastPlace();
  // Pages of the whole organization lead back to where one was.
  const project = named ?? (last?.organization === organization ? last.project : undefined);
  const router = useRouter();
  const me = useQuery(meQuery);
  const ended = useStore(sessionEnded);
  const draft = useDraft();
  const member = me.data?.id;
  const settled = me.data !== undefined && !me.data.passwordMustChange;

  const letters = useOwnSettings(organization, settled);
  const refused = me.error instanceof Refused && me.error.status === 401;
  const mustSignIn = (refused && !me.data) || me.data?.passwordMustChange === true;

  useEffect(() => {
    // And back to where one wanted to be.
    const search = { to: router.state.location.href };
    if (mustSignIn) void router.navigate({ to: "/sign-in", search, replace: true });
  }, [mustSignIn, router]);
  useEffect(() => {
    if (member) openDraft(member, organization);
  }, [member, organization]);
  const since = useEffectEvent(() => {
    const known = me.data?.organizations.find((it) => it.key === organization);
    return known?.changes;
  });
  useEffect(
    () => (settled ? listen(organization, queries, since()) : undefined),
    [settled, organization],
  );
  useEffect(() => {
    if (named) rememberPlace(organization, named);
  }, [organization, named]);

  if (mustSignIn) return null;
  if (me.isError && !me.data) {
    return <Failure error={me.error} retry={() => void me.refetch()} />;
  }
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        {t("shell.skip")}
      </a>
      <Navigation organization={organization} project={project} me={me.data} />
      <main id="content" className={classes.content} tabIndex={-1}>
        <Connection />
        <Outlet />
      </main>
      <Suspense>
        {draft.commands.length > 0 && <ReviewBar organization={organization} />}
        {ended && me.data && <SessionEnded />}
      </Suspense>
      <PaletteKey organization={organization} project={project} letters={letters} />
    </div>
  );
}
