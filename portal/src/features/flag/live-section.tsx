import { type ReactNode, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Against } from "@/components/against";
import { applied } from "@/lib/draft/apply";
import { useDraft } from "@/lib/draft/store";
import { type Targeting, type WholeFlag, targetingIn } from "@/lib/model/flag";
import { type Area, heldAt } from "@/lib/model/held";
import classes from "./flag.module.css";
import { Section } from "./section";
import { Mark, useTheirs } from "./theirs";
import { editTargeting } from "./use-flag";
import { useHeld } from "./use-held";

/** What a part of the page shows, and how it is edited. */
interface Seen {
  server: WholeFlag;
  view: WholeFlag;
  before: Targeting;
  now: Targeting;
  edit: (change: (it: Targeting) => Targeting) => void;
}

interface Props {
  area: Area;
  environment: string;
  server: WholeFlag;
  title: string;
  help: string;
  children: (seen: Seen) => ReactNode;
}

/**
 * A part that says when somebody else changed it. Nothing moves under the pointer, and no field is
 * replaced that somebody is in: their change is shown when one leaves, or asks for it.
 */
export function LiveSection({ area, environment, server, title, help, children }: Props) {
  const { t } = useTranslation();
  const part = useRef<HTMLElement>(null);
  const draft = useDraft();
  const wide = area === "variations";
  const theirs = useTheirs(area, wide ? undefined : environment);
  const { held, show } = useHeld(part, server);
  const shown = useMemo(
    () => (held ? heldAt(server, held, area, environment) : server),
    [server, held, area, environment],
  );
  const view = useMemo(() => applied(shown, draft.commands), [shown, draft]);
  const seen: Seen = {
    server: shown,
    view,
    before: targetingIn(shown, environment),
    now: targetingIn(view, environment),
    edit: (change) => editTargeting(shown, environment, change),
  };
  const words = theirs ? (
    <>
      <Mark of={theirs} />
      {held && (
        <button type="button" className={classes.show} onClick={show}>
          {t("flag.showTheirs")}
        </button>
      )}
    </>
  ) : (
    help
  );
  return (
    <Section ref={part} title={title} help={words}>
      <Against
        of={{
          kind: "flag",
          key: server.flag.key,
          scope: wide ? server.project : `${server.project}/${environment}`,
          area,
        }}
        part={part}
      />
      {children(seen)}
    </Section>
  );
}
