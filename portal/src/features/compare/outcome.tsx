import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Wrong } from "@/components/states";
import { Warnings } from "@/components/warnings";
import { Refused } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./compare.module.css";
import type { useTaking } from "./use-taking";

/** What came of taking: what was left out and why, and the way to take it all the same. */
export function Outcome({ taking }: { taking: ReturnType<typeof useTaking> }) {
  const { t } = useTranslation();
  const { number, list } = useFormat();
  const { data, error, variables } = taking;
  const stuck = error instanceof Refused && isStuck(error);
  const left = stuck ? (variables?.flags ?? []) : (data?.left ?? []);
  const environment = variables?.pair.from ?? "";
  return (
    <div className={classes.outcome} role="status">
      {!stuck && <Wrong error={error} />}
      <Warnings of={data?.warnings ?? []} />
      {left.length > 0 && variables && (
        <div className={classes.left}>
          <p>{t("compare.stuck", { flags: list(left), environment, count: left.length })}</p>
          <Button
            small
            busy={taking.isPending}
            onClick={() => taking.mutate({ ...variables, flags: left, segments: "skip" })}
          >
            {t("compare.withoutRules")}
          </Button>
        </div>
      )}
      {data && data.later > 0 && (
        <p>{t("compare.later", { count: data.later, number: number(data.later) })}</p>
      )}
    </div>
  );
}

const isStuck = ({ problem }: Refused) =>
  problem?.errors?.some((it) => it.code === "environmentSegments") ?? false;
