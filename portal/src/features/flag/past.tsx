import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { VariationLabel } from "@/components/variation";
import { Sentence } from "@/components/sentence";
import { NeededVariation } from "@/components/why-prerequisite";
import { Empty, Failure, Waiting } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { pastFlagQuery } from "@/lib/api/flag";
import { useFormat } from "@/lib/format";
import { labelOf, serving, unreleased, wholeFlag } from "@/lib/model/flag";
import { conditionWords } from "@/lib/phrases";
import { type Speaker, servingWords } from "@/lib/words";
import classes from "./history.module.css";
import { useFlag } from "./use-flag";

/** The flag as it was in an environment at a version. */
export function FlagPast() {
  const { t } = useTranslation();
  const { organization, project, key } = useFlag();
  const params = useParams({ strict: false }) as { environment: string; version: string };
  const { environment, version } = params;
  const past = useQuery(pastFlagQuery(organization, project, environment, key, Number(version)));
  if (past.isError) return <Failure error={past.error} retry={() => void past.refetch()} />;
  if (past.isPending) return <Waiting />;
  return (
    <section>
      <p className={classes.back}>
        <Link
          to="/$organization/$project/flags/$flag/history"
          params={{ organization, project, flag: key }}
        >
          {t("flag.history")}
        </Link>
      </p>
      <h2>{t("flag.stateAt", { environment, version })}</h2>
      {past.data ? (
        <State of={past.data} project={project} />
      ) : (
        <Empty title={t("flag.isNotReleased", { environment })} />
      )}
    </section>
  );
}

function State({ of, project }: { of: Schemas["PastFlag"]; project: string }) {
  const { t } = useTranslation();
  const { share, list, either, number } = useFormat();
  const { detail } = useFlag();
  if (!detail.data) return null;
  const now = wholeFlag(project, detail.data);
  const variations = of.variations.map(({ id, name, value }) => ({
    id,
    name: name ?? null,
    value,
  }));
  // The words of then: names that variations had.
  const flag = { ...now.flag, variations };
  const whole = { ...now, flag, targetings: { "": unreleased(flag) } };
  const speaker: Speaker = { t, share, list, either, whole };
  const name = (id: string | undefined) => labelOf(variations.find((it) => it.id === id));
  return (
    <dl className={classes.past}>
      <dt>{t("flag.state")}</dt>
      <dd>{t(of.isEnabled ? "flags.on" : "flags.off")}</dd>
      <dt>{t("flag.prerequisites")}</dt>
      <dd>
        {of.prerequisites.length === 0 && "–"}
        {of.prerequisites.map((it) => (
          <div key={it.flag}>
            <Sentence
              text={t("flag.needsServing")}
              parts={{
                flag: <code>{it.flag}</code>,
                variation: <NeededVariation flag={it.flag} variation={it.variation} />,
              }}
            />
          </div>
        ))}
      </dd>
      <dt>{t("flag.targets")}</dt>
      <dd>
        {of.targets.length === 0 && "–"}
        {of.targets.map(({ variationId, keyIds = [] }) => (
          <div key={variationId}>
            {t("flag.pastTargets", { variation: name(variationId), number: number(keyIds.length) })}
          </div>
        ))}
      </dd>
      <dt>{t("flag.rules")}</dt>
      <dd>
        {of.rules.length === 0 && "–"}
        {of.rules.map((rule, index) => (
          <div key={rule.id}>
            {t("command.updateRule", {
              rule: rule.name || t("flag.ruleNumber", { number: index + 1 }),
              conditions: conditionWords(
                speaker,
                (rule.conditions ?? []).map((it) => ({
                  property: it.property ?? "",
                  op: it.op ?? null,
                  value: it.value ?? null,
                })),
              ),
              serving: servingWords(speaker, serving(rule), speaker.whole?.flag.variations),
            })}
          </div>
        ))}
      </dd>
      <dt>{t("flag.default")}</dt>
      <dd>{servingWords(speaker, serving(of.defaultRule), speaker.whole?.flag.variations)}</dd>
      <dt>{t("flag.whenOff")}</dt>
      <dd>{name(of.offVariation)}</dd>
      <dt>{t("flag.variations")}</dt>
      <dd>
        {variations.map((it, place) => (
          <div key={it.id}>
            <VariationLabel place={place} label={labelOf(it)} /> <code>{it.value}</code>
          </div>
        ))}
      </dd>
    </dl>
  );
}
