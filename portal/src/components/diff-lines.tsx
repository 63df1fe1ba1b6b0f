import { type ComponentType, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { asks, namesSegments, said } from "@/lib/diff-words";
import { useFormat } from "@/lib/format";
import { jsonDiff } from "@/lib/model/json-diff";
import { Button } from "./button";
import classes from "./diff-lines.module.css";
import { JsonDiff } from "./json-diff";
import { useSegmentName } from "./use-segment-name";
import { useWords } from "./use-words";

/** So many lines are shown before somebody asks for all. */
const SHOWN = 8;

interface Props {
  lines: Schemas["DiffLine"][];
  /** How a line is said, where that is not only of flags and segments. */
  line?: ComponentType<{ line: Schemas["DiffLine"] }>;
}

/** What a change did or would do: where first, then what, each a line. */
export function DiffLines({ lines, line: Line = DiffLine }: Props) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  const shown = all || lines.length <= SHOWN + 2 ? lines : lines.slice(0, SHOWN);
  const left = lines.length - shown.length;
  return (
    <>
      <ul className={classes.lines}>
        {shown.map((line) => (
          <li key={line.text}>
            <Line line={line} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <div>
          <Button small look="quiet" onClick={() => setAll(true)}>
            {t("revert.more", { count: left })}
          </Button>
        </div>
      )}
    </>
  );
}

/** One line, said in the reader's language where we know its code. */
export function DiffLine({ line }: { line: Schemas["DiffLine"] }) {
  const { t } = useTranslation();
  const { share, list, either } = useFormat();
  const { code, params, text } = line;
  const { project, environment, flag, segment } = params;
  const ready = useWords("rules", asks(line));
  const name = useSegmentName(project, environment, namesSegments(line));
  const parts = said({ t, share, list, either, segment: name }, line);
  const words = t(`diff.${code}` as "diff.turnedOn", { ...parts, defaultValue: "" });
  if (words === "") return text;
  const { from = "", to = "" } = params;
  const inside = code === "variationChanged" ? jsonDiff(from, to) : undefined;
  if (inside && inside.length > 0) {
    return (
      <>
        <code>{flag}</code> {t("diff.variationInside", { variation: parts["variation"] ?? "" })}
        <JsonDiff of={inside} />
      </>
    );
  }
  return (
    <>
      {environment !== undefined && <strong>{environment} </strong>}
      <code>{flag ?? segment}</code> {asks(line) && !ready ? "…" : words}
    </>
  );
}
