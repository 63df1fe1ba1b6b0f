import { type KeyboardEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./statement-editor.module.css";

interface Props {
  label: string;
  placeholder: string;
  values: string[];
  change: (values: string[]) => void;
  offered: string[];
  /** A pattern in words. */
  words: (pattern: string) => string;
}

/** Patterns of a statement: typed or chosen, said in words, taken out one by one. */
export function Patterns({ label, placeholder, values, change, offered, words }: Props) {
  const { t } = useTranslation();
  const list = useId();
  const [text, setText] = useState("");

  function add(typed: string) {
    // Tags have commas between them, so they end nothing here.
    const value = typed.trim();
    // What is chosen from the list by its words is meant by its pattern.
    const meant = offered.find((it) => words(it) === value) ?? value;
    if (meant !== "" && !values.includes(meant)) change([...values, meant]);
    setText("");
  }

  function key(event: KeyboardEvent<HTMLInputElement>) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      add(text);
    } else if (event.key === "Backspace" && text === "" && values.length > 0) {
      change(values.slice(0, -1));
    }
  }

  return (
    <span className={classes.patterns}>
      {values.map((value) => (
        <span key={value} className={classes.pattern} title={value}>
          {words(value)}
          <button
            type="button"
            aria-label={t("action.remove", { value: words(value) })}
            onClick={() => change(values.filter((it) => it !== value))}
          >
            ✕
          </button>
        </span>
      ))}
      <input
        aria-label={label}
        placeholder={placeholder}
        list={list}
        value={text}
        onChange={(event) => {
          const typed = event.target.value;
          const { nativeEvent } = event;
          // A choice of the list comes at once, and not letter by letter.
          const typing =
            nativeEvent instanceof InputEvent && nativeEvent.inputType === "insertText";
          if (!typing && offered.includes(typed)) add(typed);
          else setText(typed);
        }}
        onKeyDown={key}
        onBlur={() => add(text)}
      />
      <datalist id={list}>
        {offered
          .filter((it) => !values.includes(it))
          .map((it) => (
            <option key={it} value={it}>
              {words(it)}
            </option>
          ))}
      </datalist>
    </span>
  );
}
