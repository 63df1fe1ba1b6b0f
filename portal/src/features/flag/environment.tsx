import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, lazy, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "@/components/states";
import { Switch } from "@/components/switch";
import { Warnings } from "@/components/warnings";
import { type Targeting, targetingIn } from "@/lib/model/flag";
import classes from "./flag.module.css";
import { RuleList } from "./rules";
import { Section } from "./section";
import { Switched } from "./switched";
import { Counts } from "./counts";
import { Decides } from "./decides";
import { useAudience } from "./use-audience";
import { Serving } from "./serving";
import { Targets } from "./targets";
import { editTargeting, useFlag } from "./use-flag";
import { VariationSelect } from "./variation-select";
import { Variations } from "./variations";
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
  const audience = useAudience(environment);
  const { do: want } = useSearch({ strict: false }) as { do?: "on" | "off" };
  const navigate = useNavigate();
  const switching = useRef<HTMLButtonElement>(null);
  const there = server !== undefined;
  useEffect(() => {
    if (want && there && switching.current) setAnchor(switching.current);
  }, [want, there]);
  const close = () => {
    setAnchor(undefined);
    const params = { organization, project, flag: key, environment };
    const to = "/$organization/$project/flags/$flag/$environment";
    if (want) void navigate({ to, params, search: {}, replace: true });
  };
  const here = environments.data?.find((it) => it.key === environment);
  if (!server || !view || !environments.data) return null;
  if (!here) return <Failure error={new Error(environment)} />;
  const now = targetingIn(view, environment);
  const before = targetingIn(server, environment);
  const { flag } = view;
  const place = { organization, project, environment };
  const edit = (change: (it: Targeting) => Targeting) => editTargeting(server, environment, change);
  const known = detail.data?.environments[environment]?.warnings ?? [];

  return (
    <div className={classes.environment} data-protected={here.protected || undefined}>
      <div className={classes.state}>
        <Switch
          on={now.on}
          label={t("flag.switch", { flag: key, environment })}
          text={t(now.on ? "flag.isOn" : now.released ? "flag.isOff" : "flag.isNotReleased", {
            environment,
          })}
          ref={switching}
          disabled={flag.archived}
          onClick={(event) => setAnchor(event.currentTarget)}
        />
        {!now.released && <span className={classes.quiet}>{t("flag.notReleasedHelp")}</span>}
      </div>
      <Switched
        environment={environment}
        on={before.on}
        turn={(event) => setAnchor(event.currentTarget)}
      />
      <Warnings of={known.filter((it) => !it.pointer.startsWith("/rules/"))} />
      <Why environment={environment} />
      <Section title={t("flag.targets")} help={t("flag.targetsHelp")}>
        <Targets place={place} flag={flag} targeting={now} edit={edit} />
      </Section>
      <Section title={t("flag.rules")} help={t("flag.rulesHelp")}>
        <RuleList
          place={place}
          flag={flag}
          targeting={now}
          server={before}
          warnings={known}
          audience={audience}
          edit={edit}
        />
      </Section>
      <Section title={t("flag.default")} help={t("flag.defaultHelp")}>
        <Serving
          place={place}
          flag={flag}
          serving={now.defaultRule}
          before={before.defaultRule}
          change={(defaultRule) => edit((it) => ({ ...it, defaultRule }))}
          open
        />
        <Decides audience={audience} users={audience?.defaultRule} />
      </Section>
      <Section title={t("flag.whenOff")} help={t("flag.whenOffHelp", { environment })}>
        <VariationSelect
          flag={flag}
          label={t("flag.whenOff")}
          value={now.offVariation}
          change={(offVariation) => edit((it) => ({ ...it, offVariation }))}
        />
      </Section>
      <Section title={t("flag.counts")} help={t("flag.countsHelp", { environment })}>
        <Counts place={place} flag={flag} />
      </Section>
      <Section title={t("flag.variations")} help={t("flag.variationsHelp")}>
        <Variations server={server} view={view} />
      </Section>
      <Suspense>
        {anchor && (
          <Quick
            organization={organization}
            project={project}
            environment={environment}
            flag={key}
            anchor={anchor}
            {...(want === undefined ? {} : { want: want === "on" })}
            close={close}
          />
        )}
      </Suspense>
    </div>
  );
}
