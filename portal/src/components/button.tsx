import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { toast } from "@/lib/toasts";
import classes from "./button.module.css";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "primary" | "plain" | "quiet" | "danger";
  /** Why it cannot be pressed: it stays visible, can be reached, and says so. */
  lacking?: string | undefined;
  busy?: boolean;
  small?: boolean;
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

/** A button. Its text is the command. */
export function Button({
  look = "plain",
  lacking,
  busy = false,
  small = false,
  className,
  onClick,
  ...rest
}: Props) {
  const blocked = busy || lacking !== undefined;
  return (
    <button
      type="button"
      {...rest}
      className={[classes.button, className].filter(Boolean).join(" ")}
      data-look={look}
      data-small={small || undefined}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      title={lacking ?? rest.title}
      onClick={(event) => {
        if (blocked) event.preventDefault();
        else onClick?.(event);
        // On a phone there is no title to be seen.
        if (lacking !== undefined) toast(lacking);
      }}
    />
  );
}
