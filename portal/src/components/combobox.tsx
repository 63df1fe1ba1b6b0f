import { useState } from "react";
import { type Option, fitting } from "./options";
import { Suggest } from "./suggest";

interface Props {
  label: string;
  value: string;
  options: Option[];
  change: (value: string) => void;
  /** Whether nothing but what is offered can be chosen. */
  strict?: boolean;
  /** Where Enter leads, after something was chosen. */
  next?: (from: HTMLElement) => void;
  placeholder?: string;
  mono?: boolean;
  className?: string | undefined;
  part?: string;
  focus?: boolean;
  inputMode?: "decimal" | "text";
  invalid?: boolean;
  describedBy?: string | undefined;
  /** Whether Enter takes the first hit of what is typed; where not strict, what is typed stands. */
  eager?: boolean;
  /** What is typed and not taken yet, for those who look options up. */
  typed?: (text: string) => void;
}

/** One of some: typed, or chosen from what is offered. */
export function Combobox(props: Props) {
  const { value, options, change, strict = false, eager = strict, next, typed, ...rest } = props;
  const [text, setText] = useState<string>();
  const labelOf = (of: string) => options.find((it) => it.value === of)?.label ?? of;

  function write(now: string) {
    setText(now);
    typed?.(now);
    // What is typed freely holds at once: whoever goes on by another key has lost nothing.
    if (!strict) change(now);
  }
  function pick(picked: string) {
    setText(undefined);
    typed?.("");
    change(picked);
  }

  return (
    <Suggest
      {...rest}
      text={text ?? labelOf(value)}
      onText={write}
      // Before anything is typed, all of it is offered.
      options={text === undefined ? options : fitting(options, text)}
      eager={eager && text !== undefined}
      onPick={pick}
      onPicked={(input) => next?.(input)}
      onEnter={(input) => {
        setText(undefined);
        next?.(input);
      }}
      onLeave={() => {
        setText(undefined);
        typed?.("");
      }}
    />
  );
}
