import { Modal } from "@mantine/core";
import { type KeyboardEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Entry, Quick } from "./entries";
import classes from "./palette.module.css";
import { QuickModal } from "./quick-modal";
import { useEntries } from "./use-entries";

interface Props {
  organization: string;
  project: string | undefined;
  close: () => void;
}

const GROUPS = ["do", "found", "recent", "go"] as const;

/** Goes to anything by its name, and does what is named: `off new-cart prod`. */
export function Palette({ organization, project, close }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [quick, setQuick] = useState<Quick>();
  const { entries, waiting } = useEntries({ organization, project, text, close, quick: setQuick });
  const groups = GROUPS.map((group) => ({
    group,
    of: entries.filter((it) => it.group === group),
  })).filter(({ of }) => of.length > 0);
  const all = groups.flatMap(({ of }) => of);
  const active = Math.min(at, all.length - 1);

  function key(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const last = all.length - 1;
    if (event.key === "ArrowDown") move(active === last ? 0 : active + 1);
    else if (event.key === "ArrowUp") move(active <= 0 ? last : active - 1);
    else if (event.key === "PageDown") move(Math.min(active + 8, last));
    else if (event.key === "PageUp") move(Math.max(active - 8, 0));
    else if (event.key === "Enter") all[active]?.run();
    else return;
    event.preventDefault();
  }
  function move(to: number) {
    setAt(to);
    document.querySelector(`[id="${id}-${to}"]`)?.scrollIntoView({ block: "nearest" });
  }

  if (quick && project !== undefined) {
    return <QuickModal organization={organization} project={project} {...quick} close={close} />;
  }
  const option = (it: Entry) => {
    const index = all.indexOf(it);
    return (
      <li
        key={it.id}
        id={`${id}-${index}`}
        role="option"
        aria-selected={index === active}
        onPointerMove={() => setAt(index)}
        onClick={it.run}
        onKeyDown={key}
      >
        <span>{it.title}</span>
        <small>{it.more}</small>
      </li>
    );
  };
  const none = text.trim() !== "" && all.length === 0 && !waiting;
  return (
    <Modal.Root opened onClose={close} size={600} yOffset="12vh" padding={0}>
      <Modal.Overlay backgroundOpacity={0.25} />
      <Modal.Content aria-label={t("palette.label")}>
        <input
          className={classes.input}
          role="combobox"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          aria-activedescendant={all[active] ? `${id}-${active}` : undefined}
          aria-label={t("palette.label")}
          placeholder={t("palette.placeholder")}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={key}
        />
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={t("palette.label")}
          aria-busy={waiting || undefined}
          className={classes.list}
        >
          {groups.map(({ group, of }) => (
            <ul key={group} role="group" aria-label={t(`palette.groups.${group}`)}>
              <li role="presentation" className={classes.heading}>
                {t(`palette.groups.${group}`)}
              </li>
              {of.map(option)}
            </ul>
          ))}
        </div>
        <p role="status" className={none ? classes.none : "hidden"}>
          {none ? t("palette.none") : t("palette.count", { count: all.length })}
        </p>
        <p className={classes.examples}>{t("palette.examples")}</p>
      </Modal.Content>
    </Modal.Root>
  );
}
