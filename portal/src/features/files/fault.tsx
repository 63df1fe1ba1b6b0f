import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Wrong } from "@/components/states";
import { faultOf, rangeOf } from "@/lib/file-fault";
import { useFormat } from "@/lib/format";
import classes from "./files.module.css";

interface Props {
  error: unknown;
  text: string;
  /** Where the text stands. */
  area: RefObject<HTMLDivElement | null>;
}

/** What is wrong with a file, and the way to its line. */
export function Fault({ error, text, area }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const fault = faultOf(error);
  if (!fault) return <Wrong error={error} />;
  function show(line: number) {
    const field = area.current?.querySelector("textarea");
    if (!field) return;
    const [start, end] = rangeOf(text, line);
    field.focus();
    field.setSelectionRange(start, end);
    // Lines are of one height: nothing wraps the scroll to them but this.
    const lines = text.split("\n").length;
    field.scrollTop = (field.scrollHeight / lines) * Math.max(0, line - 4);
  }
  return (
    <div className={classes.fault} role="alert">
      <p>
        {t("files.fault", {
          line: number(fault.line),
          column: number(fault.column),
          why: fault.why,
        })}
      </p>
      <Button small onClick={() => show(fault.line)}>
        {t("files.showLine", { line: number(fault.line) })}
      </Button>
    </div>
  );
}
