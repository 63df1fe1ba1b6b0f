import { type RefObject, useEffect, useEffectEvent, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { type Attendable, attended, attendedHere, isAbout } from "@/lib/draft/attended";
import { useDraft } from "@/lib/draft/store";
import { useStore } from "@/lib/store";
import classes from "./against.module.css";
import { DiffLines } from "./diff-lines";

/** What is written in, else what is pressed. */
const FIELDS = ["input:not([type=hidden])", "textarea", "select", "button"];

interface Props {
  of: Attendable;
  part: RefObject<HTMLElement | null>;
  /** Shows the fields, where they are not there by themselves. */
  open?: () => void;
}

/**
 * What somebody else made of a part that one chose to edit on: it stays while one does, and the
 * focus goes to the first field of it.
 */
export function Against({ of, part, open }: Props) {
  const { t } = useTranslation();
  const draft = useDraft();
  const now = useStore(attended);
  const { kind, key, scope, area } = of;
  const here = useMemo(
    () => attendedHere(now, { kind, key, scope, area }),
    [now, kind, key, scope, area],
  );
  const edited = draft.commands.some((it) => isAbout(it, of));
  const show = useEffectEvent(() => open?.());
  useEffect(() => {
    const element = part.current;
    if (!here?.first || !element) return;
    show();
    const rule = here.rule && element.querySelector(`[data-rule="${CSS.escape(here.rule)}"]`);
    const root = rule || element;
    const field = FIELDS.map((it) => root.querySelector<HTMLElement>(it)).find((it) => it);
    root.scrollIntoView({ block: "center" });
    field?.focus({ preventScroll: true });
  }, [here, part]);
  useEffect(() => {
    // It is applied, or it is theirs by now.
    const is = attended.get();
    if (!here || edited || !is) return;
    const areas = is.areas.filter((it) => it !== area);
    attended.set(areas.length > 0 ? { ...is, areas } : undefined);
  }, [here, edited, area]);
  if (!here || here.lines.length === 0) return null;
  return (
    <div className={classes.against} role="note">
      <p>{t("conflict.theirs", { by: here.by })}</p>
      <DiffLines lines={here.lines} />
    </div>
  );
}
