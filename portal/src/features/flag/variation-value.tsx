import { Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Waiting } from "@/components/states";
import type { Flag } from "@/lib/model/flag";
import { wrongValue } from "@/lib/model/value";
import classes from "./variations.module.css";

// CodeMirror is larger than the page: it comes when somebody edits JSON.
const JsonEditor = lazy(() =>
  import("@/components/json-editor").then((it) => ({ default: it.JsonEditor })),
);

interface Props {
  type: Flag["type"];
  label: string;
  value: string;
  change: (value: string) => void;
}

/** A value in the form that its type has. */
export function VariationValue({ type, label, value, change }: Props) {
  const { t } = useTranslation();
  const [editing, setEditing] = useState(false);
  const wrong = wrongValue(type, value);
  const said = wrong && (
    <span role="alert" className={classes.wrong}>
      {t(`flag.wrong.${wrong}`)}
    </span>
  );
  if (type === "boolean") return <code className={classes.fixed}>{value}</code>;
  if (type === "json" && !editing) {
    return (
      <>
        <button type="button" className={classes.preview} onClick={() => setEditing(true)}>
          <span className="hidden">{t("flag.editJson", { label })}</span> <code>{value}</code>
        </button>
        {said}
      </>
    );
  }
  if (type === "json") {
    return (
      <>
        <Suspense fallback={<Waiting rows={2} />}>
          <JsonEditor label={label} value={value} change={change} wrong={t("flag.wrong.json")} />
        </Suspense>
        {said}
        <span className={classes.tools}>
          <Button
            small
            look="quiet"
            lacking={wrong && t("flag.wrong.json")}
            onClick={() => change(JSON.stringify(JSON.parse(value), undefined, 2))}
          >
            {t("flag.formatJson")}
          </Button>
          <Button small look="quiet" onClick={() => setEditing(false)}>
            {t("flag.closeJson")}
          </Button>
        </span>
      </>
    );
  }
  const shared = {
    className: classes.value,
    "aria-label": label,
    "aria-invalid": wrong !== undefined || undefined,
    value,
  };
  return (
    <>
      {type === "number" ? (
        <input
          {...shared}
          inputMode="decimal"
          onChange={(event) => change(event.target.value.trim())}
        />
      ) : (
        <textarea {...shared} rows={1} onChange={(event) => change(event.target.value)} />
      )}
      {said}
    </>
  );
}
