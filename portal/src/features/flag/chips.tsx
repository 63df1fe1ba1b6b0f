import { type ClipboardEvent, type KeyboardEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { pasted } from "@/lib/model/operators";
import classes from "./flag.module.css";

interface Props {
  label: string;
  placeholder: string;
  values: string[];
  change: (values: string[]) => void;
  /** What is offered while typing. */
  offered?: string[];
  /** In place of a value. */
  name?: (value: string) => string;
}

/** So many are chips; of more the first are shown, and how many others there are. */
const SHOWN = 40;

/** Texts that are typed, pasted (lines or commas) or chosen, and taken out one by one. */
export function Chips({ label, placeholder, values, change, offered = [], name }: Props) {
  const { t } = useTranslation();
  const list = useId();
  const [text, setText] = useState("");

  function add(more: string[]) {
    const known = new Set(values);
    const fresh = more.filter((it) => !known.has(it));
    if (fresh.length > 0) change([...values, ...fresh]);
    setText("");
  }

  function key(event: KeyboardEvent<HTMLInputElement>) {
    // Enter that ends the composing of a word is not ours.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" || event.key === ",") {
      if (text.trim() === "") return;
      event.preventDefault();
      add(pasted(text));
    } else if (event.key === "Backspace" && text === "" && values.length > 0) {
      change(values.slice(0, -1));
    }
  }

  function paste(event: ClipboardEvent<HTMLInputElement>) {
    const items = pasted(event.clipboardData.getData("text"));
    if (items.length < 2) return;
    event.preventDefault();
    add(items);
  }

  return (
    <span className={classes.chips}>
      {values.slice(0, SHOWN).map((value) => (
        <span key={value} className={classes.chip}>
          <span className={classes.cut}>{name?.(value) ?? value}</span>
          <button
            type="button"
            aria-label={t("action.remove", { value: name?.(value) ?? value })}
            onClick={() => change(values.filter((it) => it !== value))}
          >
            ✕
          </button>
        </span>
      ))}
      {values.length > SHOWN && (
        <span className={classes.quiet}>
          {t("flag.moreKeys", { count: values.length - SHOWN })}
        </span>
      )}
      <input
        className={classes.chipInput}
        aria-label={label}
        placeholder={values.length === 0 ? placeholder : ""}
        list={list}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={key}
        onPaste={paste}
        onBlur={() => {
          if (text.trim() !== "") add(pasted(text));
        }}
      />
      <datalist id={list}>
        {offered
          .filter((it) => !values.includes(it))
          .slice(0, 50)
          .map((it) => (
            <option key={it} value={it} />
          ))}
      </datalist>
    </span>
  );
}
