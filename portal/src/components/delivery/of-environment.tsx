import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import { environmentsQuery } from "@/lib/api/queries";
import { type EnvironmentDelivery, type NodeDelivery, percentOf, stageOf } from "@/lib/delivery";
import { useFormat } from "@/lib/format";
import classes from "./delivery.module.css";
import { Laggards } from "./laggards";
import { Nodes } from "./nodes";
import { Said } from "./said";
import { Times } from "./times";

interface Props {
  organization: string;
  of: EnvironmentDelivery;
  gone: NodeDelivery[];
  /** Whether there was time enough for all to say that they have it. */
  waited: boolean;
  /** One of many: what is in order is said in a line. */
  short: boolean;
}

/** How far a change came in one environment: in a sentence, a line, and figures. */
export function OfEnvironment({ organization, of, gone, waited, short }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { project, environment, version, total, nodes } = of;
  const known = useQuery(environmentsQuery(organization, project)).data;
  const named = known?.find((it) => it.key === environment);
  const stage = stageOf(total, waited);
  const params = { organization, project, environment };
  const counts = {
    count: total.connections,
    total: number(total.connections),
    received: number(total.received),
  };
  const headline =
    stage === "nobody"
      ? t("delivery.nobody")
      : stage === "all"
        ? t("delivery.all", counts)
        : t("delivery.some", counts);
  const brief = short && (stage === "all" || stage === "nobody");
  return (
    <article className={classes.environment} aria-label={`${project}/${environment}`}>
      <p className={classes.where}>
        {named ? <EnvironmentName of={named} /> : <span>{environment}</span>}
        <Link
          to="/$organization/$project/history/$environment/$version"
          params={{ ...params, version: String(version) }}
        >
          {t("delivery.version", { version: number(version) })}
        </Link>
      </p>
      <p className={classes.headline}>
        <strong>{headline}</strong>
        <StageName stage={stage} total={total} />
      </p>
      {stage !== "nobody" && (
        <div className={classes.line} data-stage={stage} aria-hidden="true">
          <span style={{ width: `${percentOf(total.written, total.connections)}%` }} />
          <span style={{ width: `${percentOf(total.received, total.connections)}%` }} />
        </div>
      )}
      {stage !== "all" && (
        <p className={classes.quiet}>
          {t(`delivery.is.${stage}`, {
            count: total.connections - total.written,
            number: number(total.connections - total.written),
          })}{" "}
          {stage === "nobody" && (
            <Link to="/$organization/$project/connect" params={params}>
              {t("delivery.connect")}
            </Link>
          )}
        </p>
      )}
      <Said stage={stage} text={headline} />
      {!brief && stage !== "nobody" && <Times total={total} />}
      {!brief && <Nodes nodes={nodes} gone={gone} />}
      <Laggards {...params} version={version} nodes={nodes} waited={waited} />
    </article>
  );
}

/** How far it is, in a word or two; its colour says no more than that. */
function StageName({
  stage,
  total: { connections, received },
}: {
  stage: ReturnType<typeof stageOf>;
  total: EnvironmentDelivery["total"];
}) {
  const { t } = useTranslation();
  const { number } = useFormat();
  if (stage === "nobody") return null;
  const count = connections - received;
  return (
    <span className={classes.stage} data-stage={stage}>
      {t(`delivery.stages.${stage}`, { count, number: number(count) })}
    </span>
  );
}
