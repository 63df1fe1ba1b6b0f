import { type HTMLAttributes, useEffect, useRef } from "react";
import classes from "./sideways.module.css";

interface Props extends HTMLAttributes<HTMLElement> {
  as?: "div" | "nav";
}

/** A row that is moved sideways where it does not fit; its edge fades where there is more. */
export function Sideways({ as: Tag = "div", className, ...rest }: Props) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const it = row.current;
    if (!it) return;
    const look = () => {
      const rest = it.scrollWidth - it.clientWidth - it.scrollLeft;
      it.toggleAttribute("data-before", it.scrollLeft > 1);
      it.toggleAttribute("data-after", rest > 1);
    };
    const sizes = new ResizeObserver(look);
    const parts = new MutationObserver(look);
    sizes.observe(it);
    parts.observe(it, { childList: true, subtree: true, characterData: true });
    it.addEventListener("scroll", look, { passive: true });
    // Where one is can be seen from the beginning.
    const here = it.querySelector<HTMLElement>("[aria-current]");
    if (here) it.scrollLeft = here.offsetLeft + here.offsetWidth - it.clientWidth;
    look();
    return () => {
      sizes.disconnect();
      parts.disconnect();
      it.removeEventListener("scroll", look);
    };
  }, []);
  return (
    <Tag
      {...rest}
      ref={(it: HTMLElement | null) => {
        row.current = it;
      }}
      className={[classes.row, className].filter(Boolean).join(" ")}
    />
  );
}
