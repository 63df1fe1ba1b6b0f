import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Anchored } from "./anchored";
import classes from "./picker.module.css";

export interface Choice {
  key: string;
  /** What is searched. */
  text: string;
  /** What is shown, where that is more than the text. */
  look?: ReactNode;
  /** At the right: a count, a state. */
  more?: ReactNode;
  disabled?: boolean;
}

interface Props {
  anchor: HTMLElement;
  title: string;
  close: () => void;
  choices: Choice[];
  chosen: string[];
  /** One of them was pressed. */
  choose: (key: string) => void;
  /** Several can be chosen: it stays open. */
  multiple?: boolean;
  /** What is typed may be one more: its key. */
  create?: (typed: string) => Choice | undefined;
  /** Below the list. */
  children?: ReactNode;
}

/** Of many choices the page has these at once; the others are found by typing. */
const SHOWN = 12;

/** One or several of many, found by typing. */
export function PickerPanel(props: Props) {
  const { anchor, title, close, choices, chosen, choose, multiple = false, create } = props;
  const { t } = useTranslation();
  const id = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const wanted = text.trim().toLowerCase();
  const hits = choices.filter((it) => it.text.toLowerCase().includes(wanted));
  const made = wanted === "" ? undefined : create?.(text.trim());
  const fits = made !== undefined && !choices.some((it) => it.key === made.key);
  const shown = [...hits.slice(0, SHOWN), ...(fits ? [made] : [])];
  const left = hits.length - Math.min(hits.length, SHOWN);
  const active = Math.min(at, shown.length - 1);

  function press(choice: Choice | undefined) {
    if (!choice || choice.disabled) return;
    choose(choice.key);
    if (!multiple) close();
    else if (text !== "") setText("");
  }
  function keys(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step === undefined) press(shown[active]);
    else setAt((active + step + shown.length) % Math.max(1, shown.length));
  }
  return (
    <Anchored anchor={anchor} title={title} close={close}>
      <input
        className={classes.search}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={shown[active] && `${id}-${active}`}
        aria-label={title}
        placeholder={t("picker.search")}
        data-autofocus
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={keys}
      />
      <ul
        id={id}
        className={classes.list}
        role="listbox"
        aria-label={title}
        aria-multiselectable={multiple || undefined}
      >
        {shown.map((it, index) => (
          // The keys go to the field above, which says which option is meant.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={it.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={chosen.includes(it.key)}
            aria-disabled={it.disabled || undefined}
            className={classes.option}
            data-active={index === active || undefined}
            onClick={() => press(it)}
            onPointerMove={() => setAt(index)}
          >
            <span className={classes.mark} aria-hidden="true">
              {chosen.includes(it.key) ? "✓" : ""}
            </span>
            <span className={classes.text}>{it.look ?? it.text}</span>
            {it.more !== undefined && <span className={classes.more}>{it.more}</span>}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className={classes.note}>{t("picker.none")}</p>}
      {left > 0 && <p className={classes.note}>{t("picker.left", { count: left })}</p>}
      {props.children}
    </Anchored>
  );
}
