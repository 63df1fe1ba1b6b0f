import { useId } from "react";
import { useTranslation } from "react-i18next";
import { TypedChips } from "@/components/typed-chips";
import { Combobox } from "@/components/combobox";
import type { Option } from "@/components/options";
import { zoneHere } from "@/lib/format";
import { wrongFor } from "@/lib/model/never";
import { type takes, listOf } from "@/lib/model/operators";
import { nextPart } from "./next-part";
import classes from "./rule.module.css";

interface Props {
  op: string | null;
  kind: ReturnType<typeof takes>;
  value: string | null;
  offered: Option[];
  change: (value: string) => void;
  /** What is typed, where more is looked up than is known. */
  typed?: (text: string) => void;
}

/** What a condition compares with, in the form that its operator takes. */
export function ValueInput({ op, kind, value, offered, change, typed }: Props) {
  const { t } = useTranslation();
  const id = useId();
  if (kind === "nothing") return null;
  const wrong = wrongFor(op, value);
  const said = wrong && (
    <span id={id} className={classes.wrong} role="alert">
      {t(`rule.wrong.${wrong}`)}
    </span>
  );
  if (kind === "list" || kind === "networks") {
    return (
      <>
        <TypedChips
          label={t("rule.value")}
          placeholder={t("rule.values")}
          part="value"
          mono
          asSent
          most={40}
          values={listOf(value)}
          offered={offered}
          change={(items) => change(JSON.stringify(items))}
          next={(from) => nextPart(from)}
          {...(typed ? { typed } : {})}
        />
        {said}
      </>
    );
  }
  if (kind === "moment") {
    return (
      <>
        <Moment label={t("rule.value")} value={value ?? ""} change={change} />
        {said}
      </>
    );
  }
  return (
    <>
      <Combobox
        label={t("rule.value")}
        placeholder={t("rule.value")}
        part="value"
        mono
        className={`${classes.control} ${classes.value} mono`}
        inputMode={kind === "number" ? "decimal" : "text"}
        options={offered}
        value={value ?? ""}
        change={change}
        invalid={wrong !== undefined}
        describedBy={wrong ? id : undefined}
        next={(from) => nextPart(from)}
        {...(typed ? { typed } : {})}
      />
      {said}
    </>
  );
}

/** A moment, chosen in the zone of who chooses; kept as one of UTC. */
function Moment(props: { label: string; value: string; change: (value: string) => void }) {
  const at = Date.parse(props.value);
  const local = Number.isNaN(at)
    ? ""
    : new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  const zone = zoneHere();
  return (
    <>
      <input
        type="datetime-local"
        data-part="value"
        className={classes.control}
        aria-label={props.label}
        title={zone}
        value={local}
        onChange={({ target }) =>
          props.change(target.value === "" ? "" : new Date(target.value).toISOString())
        }
      />
      <span className={classes.quiet}>{zone}</span>
    </>
  );
}
