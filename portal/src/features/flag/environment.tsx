import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, lazy, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Against } from "@/components/against";
import { Failure } from "@/components/states";
import { Switch } from "@/components/switch";
import { Warnings } from "@/components/warnings";
import { targetingIn } from "@/lib/model/flag";
import { useShortcuts } from "@/lib/shortcuts";
import classes from "./flag.module.css";
import { Parts } from "./parts";
import { Switched } from "./switched";
import { Mark, useTheirs } from "./theirs";
import { useFlag } from "./use-flag";
import { useStill } from "./use-still";
import { Why } from "./why";

const Quick = lazy(() => import("./quick").then((it) => ({ default: it.Quick })));

/** What a flag does in one environment, from the first thing that is asked to the last. */
export function FlagEnvironment() {
  const { t } = useTranslation();
  const { environment } = useParams({
    from: "/$organization/$project/flags/$flag/$environment",
  });
  const { organization, project, key, detail, environments, server, view } = useFlag();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const { do: want, share } = useSearch({ strict: false }) as {
    do?: "on" | "off";
    share?: number;
  };
  const prepared = want !== undefined || share !== undefined;
  const navigate = useNavigate();
  const switching = useRef<HTMLButtonElement>(null);
  const root = useRef<HTMLDivElement>(null);
  const state = useRef<HTMLDivElement>(null);
  const there = server !== undefined && environments.data !== undefined;
  useStill(root, project, key, there);
  const switched = useTheirs("onOff", environment);
  useShortcuts(() => [
    {
      keys: "o",
      words: t("flag.keys.switch"),
      run: () => switching.current?.click(),
    },
  ]);
  useEffect(() => {
    if (prepared && there && switching.current) setAnchor(switching.current);
  }, [prepared, there]);
  const close = () => {
    setAnchor(undefined);
    const params = { organization, project, flag: key, environment };
    const to = "/$organization/$project/flags/$flag/$environment";
    if (prepared) void navigate({ to, params, search: {}, replace: true });
  };
  const here = environments.data?.find((it) => it.key === environment);
  if (!server || !view || !environments.data) return null;
  if (!here) return <Failure error={new Error(environment)} />;
  const now = targetingIn(view, environment);
  const before = targetingIn(server, environment);
  const place = { organization, project, environment };
  const known = detail.data?.environments[environment]?.warnings ?? [];

  return (
    <div ref={root} className={classes.environment} data-protected={here.protected || undefined}>
      <Against
        of={{ kind: "flag", key, scope: `${project}/${environment}`, area: "onOff" }}
        part={state}
      />
      <div ref={state} className={classes.state}>
        <Switch
          on={now.on}
          label={t("flag.switch", { flag: key, environment })}
          text={t(now.on ? "flag.isOn" : now.released ? "flag.isOff" : "flag.isNotReleased", {
            environment,
          })}
          ref={switching}
          disabled={view.flag.archived}
          onClick={(event) => setAnchor(event.currentTarget)}
        />
        {!now.released && <span className={classes.quiet}>{t("flag.notReleasedHelp")}</span>}
        {/* That somebody turned it off is said below, with the reason. */}
        {switched && before.on && <Mark of={switched} />}
      </div>
      <Switched
        environment={environment}
        on={before.on}
        turn={(event) => setAnchor(event.currentTarget)}
      />
      <Warnings of={known.filter((it) => !it.pointer.startsWith("/rules/"))} />
      <Why environment={environment} />
      <Parts
        place={place}
        server={server}
        view={view}
        hidden={detail.data?.neededByHidden ?? 0}
        warnings={known}
      />
      <Suspense>
        {anchor && (
          <Quick
            organization={organization}
            project={project}
            environment={environment}
            flag={key}
            anchor={anchor}
            {...(want === undefined ? {} : { want: want === "on" })}
            {...(share === undefined ? {} : { share: share / 100 })}
            close={close}
          />
        )}
      </Suspense>
    </div>
  );
}
