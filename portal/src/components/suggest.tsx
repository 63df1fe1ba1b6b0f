import { type ClipboardEvent, type KeyboardEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Option } from "./options";
import classes from "./suggest.module.css";

interface Props {
  label: string;
  text: string;
  onText: (text: string) => void;
  /** Those that fit what is typed, the best first. */
  options: Option[];
  onPick: (value: string) => void;
  /** Enter where no option is chosen. */
  onEnter?: (input: HTMLInputElement) => void;
  /** After an option was taken by Enter. */
  onPicked?: (input: HTMLInputElement) => void;
  onLeave?: () => void;
  /** The delete key in an empty field. */
  onBack?: () => void;
  onPaste?: (event: ClipboardEvent<HTMLInputElement>) => void;
  /** What is typed takes its first hit by Enter. */
  eager?: boolean;
  mono?: boolean;
  placeholder?: string | undefined;
  className?: string | undefined;
  part?: string;
  inputMode?: "decimal" | "text";
  invalid?: boolean;
  describedBy?: string | undefined;
  focus?: boolean;
}

/** So many are drawn: what is looked for is typed. */
const SHOWN = 50;
const HEIGHT = 290;
const WIDTH = 430;

/** A text field that offers what fits while one types. Arrows choose, Enter takes, Escape closes. */
export function Suggest(props: Props) {
  const { label, text, onText, options, onPick, onEnter, onPicked, onLeave, onBack } = props;
  const { t } = useTranslation();
  const id = useId();
  const around = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const [place, setPlace] = useState({ up: false, right: false });
  const shown = options.slice(0, SHOWN);
  const first = props.eager && text !== "" ? 0 : -1;
  const active = Math.min(chosen < 0 ? first : chosen, shown.length - 1);
  const visible = open && shown.length > 0;

  function show() {
    const box = around.current?.getBoundingClientRect();
    if (box) {
      const up = box.bottom + HEIGHT > innerHeight && box.top > HEIGHT;
      setPlace({ up, right: box.left + WIDTH > innerWidth && box.right > WIDTH });
    }
    setChosen(-1);
    setOpen(true);
  }

  function take(value: string) {
    onPick(value);
    setOpen(false);
    setChosen(-1);
  }

  function key(event: KeyboardEvent<HTMLInputElement>) {
    // A key that is part of composing a word is not ours; nor are those that move rules.
    if (event.nativeEvent.isComposing || event.altKey) return;
    const input = event.currentTarget;
    const picked = shown[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!visible) return show();
      const by = event.key === "ArrowDown" ? 1 : -1;
      const next = (active + by + shown.length) % shown.length;
      setChosen(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && !event.metaKey && !event.ctrlKey) {
      event.preventDefault();
      if (visible && picked) {
        take(picked.value);
        onPicked?.(input);
      } else {
        setOpen(false);
        onEnter?.(input);
      }
    } else if (event.key === "Escape" && visible) {
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === "Backspace" && text === "") onBack?.();
  }

  return (
    <span className={classes.around} ref={around}>
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={visible}
        aria-controls={visible ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={visible && active >= 0 ? `${id}-${active}` : undefined}
        aria-invalid={props.invalid || undefined}
        aria-describedby={props.describedBy}
        autoComplete="off"
        spellCheck={false}
        className={props.className}
        placeholder={props.placeholder}
        inputMode={props.inputMode}
        data-part={props.part}
        autoFocus={props.focus}
        value={text}
        onChange={(event) => {
          onText(event.target.value);
          show();
        }}
        onKeyDown={key}
        onPaste={props.onPaste}
        onClick={show}
        onFocus={() => {
          // An empty part offers at once; one that says something lies still.
          if (text === "") show();
        }}
        onBlur={() => {
          setOpen(false);
          onLeave?.();
        }}
      />
      {visible && (
        <ul
          id={id}
          role="listbox"
          aria-label={t("action.offered")}
          className={classes.list}
          data-up={place.up || undefined}
          data-right={place.right || undefined}
        >
          {shown.map((option, index) => (
            <li
              key={option.value}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              className={classes.option}
              data-mono={props.mono || undefined}
              onMouseMove={() => setChosen(index)}
              onMouseDown={(event) => {
                // The focus stays in the field.
                event.preventDefault();
                take(option.value);
              }}
            >
              <span>{option.label ?? option.value}</span>
              {option.detail && <small>{option.detail}</small>}
            </li>
          ))}
        </ul>
      )}
    </span>
  );
}
