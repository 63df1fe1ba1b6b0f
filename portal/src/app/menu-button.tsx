import { type ReactElement, type ReactNode, Suspense, useState } from "react";

interface Props {
  className: string | undefined;
  /** What the button shows. */
  face: ReactNode;
  /** The open menu at the button; what it is made of is loaded when it is first opened. */
  renderMenu: (button: ReactElement) => ReactNode;
  /** One is at a place that is in its menu. */
  here?: boolean;
}

/** A button of the shell that has a menu. */
export function MenuButton({ className, face, renderMenu, here }: Props) {
  const [used, setUsed] = useState(false);
  const button = (
    <button
      type="button"
      className={className}
      aria-haspopup="menu"
      data-here={here || undefined}
      onClick={() => setUsed(true)}
    >
      {face}
    </button>
  );
  return used ? <Suspense fallback={button}>{renderMenu(button)}</Suspense> : button;
}
