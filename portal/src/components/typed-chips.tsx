import { type ClipboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { pasted } from "@/lib/model/operators";
import classes from "./typed-chips.module.css";
import { type Option, fitting } from "./options";
import { Suggest } from "./suggest";

interface Props {
  label: string;
  placeholder: string;
  values: string[];
  change: (values: string[]) => void;
  offered?: Option[];
  /** In place of a value. */
  name?: (value: string) => string;
  /** Whether nothing but what is offered can be added. */
  strict?: boolean;
  /** Whether what is typed is taken as it is offered, where only upper and lower case differ. */
  asSent?: boolean;
  /** Enter in an empty field. */
  next?: (from: HTMLElement) => void;
  /** What is typed, for those who look up what to offer. */
  typed?: (text: string) => void;
  part?: string;
  mono?: boolean;
  /** So many are chips; of more the first are shown, and a way to the others. */
  most?: number;
  more?: { label: string; open: () => void };
}

/** Texts that are typed, pasted (lines or commas) or chosen, and taken out one by one. */
export function TypedChips(props: Props) {
  const { label, placeholder, values, change, offered = [], name, strict, asSent, typed } = props;
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const shown = values.slice(0, props.most ?? values.length);

  function write(now: string) {
    setText(now);
    typed?.(now);
  }

  function add(more: string[]) {
    const known = new Set(values);
    const fresh = more.filter((it) => !known.has(it));
    if (fresh.length > 0) change([...values, ...fresh]);
    write("");
  }

  /** What is typed, in the form in which users have it. */
  const meant = (item: string) =>
    (asSent && !offered.some((it) => it.value === item)
      ? offered.find((it) => it.value.toLowerCase() === item.toLowerCase())?.value
      : undefined) ?? item;

  function finish(input?: HTMLInputElement) {
    if (text.trim() === "") {
      if (input) props.next?.(input);
    } else if (!strict) add(pasted(text).map(meant));
  }

  function paste(event: ClipboardEvent<HTMLInputElement>) {
    const items = pasted(event.clipboardData.getData("text"));
    if (items.length < 2 || strict) return;
    event.preventDefault();
    add(items.map(meant));
  }

  return (
    <span className={classes.chips}>
      {shown.map((value) => (
        <span key={value} className={classes.chip} title={value}>
          <span>{name?.(value) ?? value}</span>
          <button
            type="button"
            aria-label={t("action.remove", { value: name?.(value) ?? value })}
            onClick={() => change(values.filter((it) => it !== value))}
          >
            ✕
          </button>
        </span>
      ))}
      {props.more && values.length > shown.length && (
        <button type="button" className={classes.more} onClick={props.more.open}>
          {props.more.label}
        </button>
      )}
      <Suggest
        label={label}
        placeholder={values.length === 0 ? placeholder : ""}
        {...(props.part ? { part: props.part } : {})}
        mono={props.mono ?? false}
        text={text}
        onText={(now) => {
          const whole = now.endsWith(",") && !strict ? pasted(now) : [];
          if (whole.length > 0) add(whole.map(meant));
          else write(now);
        }}
        options={fitting(
          offered.filter((it) => !values.includes(it.value)),
          text,
        )}
        eager={strict ?? false}
        onPick={(value) => add([value])}
        onEnter={finish}
        onBack={() => change(values.slice(0, -1))}
        onPaste={paste}
        onLeave={finish}
      />
    </span>
  );
}
