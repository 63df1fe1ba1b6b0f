import { useTranslation } from "react-i18next";
import { DiffLine } from "@/components/diff-lines";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./revision.module.css";
import { type ComparedStep, alike, compared } from "./revisions";

interface Props {
  request: Schemas["RequestDetail"];
  revision: number;
}

const SIGNS = { gone: "−", added: "+", same: "=" } as const;

/** What a revision does, and what of it differs from the one before. */
export function RevisionDoes({ request, revision }: Props) {
  const { t } = useTranslation();
  const now = request.revisions.find((it) => it.revision === revision);
  // What the only one does stands at the top.
  if (!now || request.revisions.length < 2) return null;
  const before = request.revisions.find((it) => it.revision === revision - 1);
  const steps = compared(before, now);
  const several = steps.length > 1 || steps.some((it) => it.at !== undefined);
  return (
    <details className={classes.revision} open={revision > 1}>
      <summary>{t(before ? "request.differs" : "request.does")}</summary>
      {before && alike(steps) && <p>{t("request.differsNot", { revision: revision - 1 })}</p>}
      {steps.map((it) => (
        <Step key={it.step} of={it} several={several} first={!before} />
      ))}
    </details>
  );
}

function Step({ of, several, first }: { of: ComparedStep; several: boolean; first: boolean }) {
  const { t } = useTranslation();
  const { moment } = useFormat();
  const when = (at: string | undefined) => (at ? moment(at) : t("request.byHand"));
  const { step, is, at, moved, lines, more } = of;
  return (
    <>
      {several && (
        <p>
          <strong>{t("request.stepAlone", { step })}</strong> {when(at)}{" "}
          {moved && <del>{when(moved.from)}</del>}
          {!first && is !== "same" && t(`request.stepIs.${is}`)}
        </p>
      )}
      <ul className={classes.lines}>
        {lines.map(({ is: how, line }) => (
          <li key={`${how} ${line.text}`} data-is={first ? "same" : how}>
            {!first && (
              <>
                <span aria-hidden="true" className={classes.sign}>
                  {SIGNS[how]}
                </span>
                <span className="hidden">{t(`request.lineIs.${how}`)} </span>
              </>
            )}
            <span>
              <DiffLine line={line} />
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p>{t("request.linesMore", { count: more })}</p>}
    </>
  );
}
