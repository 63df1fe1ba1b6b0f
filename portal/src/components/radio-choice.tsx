import { useId } from "react";
import classes from "./radio-choice.module.css";

interface Props<Key extends string> {
  label: string;
  choices: { key: Key; text: string; help: string }[];
  chosen: Key;
  choose: (key: Key) => void;
}

/** One of a few, each with a sentence about what it means. */
export function RadioChoice<Key extends string>({ label, choices, chosen, choose }: Props<Key>) {
  const group = useId();
  return (
    <fieldset className={classes.choices}>
      <legend>{label}</legend>
      {choices.map(({ key, text, help }) => (
        <label key={key}>
          <input type="radio" name={group} checked={chosen === key} onChange={() => choose(key)} />
          <span>
            {text}
            <small>{help}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
