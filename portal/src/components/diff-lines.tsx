import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import classes from "./diff-lines.module.css";

/** What a change did or would do: where first, then what, each a line. */
export function DiffLines({ lines }: { lines: Schemas["DiffLine"][] }) {
  return (
    <ul className={classes.lines}>
      {lines.map((line) => (
        <li key={line.text}>
          <DiffLine line={line} />
        </li>
      ))}
    </ul>
  );
}

/** One line, said in the reader's language where we know its code. */
export function DiffLine({ line: { code, params, text } }: { line: Schemas["DiffLine"] }) {
  const { t } = useTranslation();
  const { environment, flag, segment } = params;
  const words = t(`diff.${code}` as "diff.turnedOn", { ...params, defaultValue: "" });
  if (words === "") return text;
  return (
    <>
      {environment !== undefined && <strong>{environment} </strong>}
      <code>{flag ?? segment}</code> {words}
    </>
  );
}
