import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import { useFault } from "./fault";
import classes from "./field.module.css";

interface Around {
  label: ReactNode;
  help?: ReactNode;
  error?: ReactNode;
  mono?: boolean;
}

type Text = Around & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> };

/** One line of text, with its name above and what is wrong with it below. */
export function TextField({ label, help, error, mono, ...rest }: Text) {
  const id = useId();
  const { fault, watch } = useFault(rest.value);
  const wrong = error ?? fault;
  return (
    <Frame id={id} label={label} help={help} error={wrong}>
      <input
        {...rest}
        {...watch}
        id={id}
        className={classes.input}
        data-mono={mono || undefined}
        aria-invalid={wrong !== undefined || undefined}
        aria-describedby={`${id}-more`}
      />
    </Frame>
  );
}

type Area = Around & TextareaHTMLAttributes<HTMLTextAreaElement>;

/** Several lines of text. */
export function AreaField({ label, help, error, mono, ...rest }: Area) {
  const id = useId();
  const { fault, watch } = useFault(rest.value);
  const wrong = error ?? fault;
  return (
    <Frame id={id} label={label} help={help} error={wrong}>
      <textarea
        rows={2}
        {...rest}
        {...watch}
        id={id}
        className={classes.input}
        data-mono={mono || undefined}
        aria-invalid={wrong !== undefined || undefined}
        aria-describedby={`${id}-more`}
      />
    </Frame>
  );
}

function Frame({ id, label, help, error, children }: Around & { id: string; children: ReactNode }) {
  return (
    <div className={classes.field}>
      <label htmlFor={id}>{label}</label>
      {children}
      <div id={`${id}-more`} className={classes.more} data-wrong={error !== undefined || undefined}>
        {error ?? help}
      </div>
    </div>
  );
}
