import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { someUsersQuery } from "@/lib/api/users";
import { useSettled } from "@/lib/settled";
import classes from "./user-field.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  label: string;
  /** Who is chosen; empty for nobody. */
  value: string;
  choose: (key: string) => void;
}

/** A user by key: who is known is offered, and whoever is typed is taken. */
export function UserField({ organization, project, environment, label, value, choose }: Props) {
  const { t } = useTranslation();
  const list = useId();
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  if (shown !== value) {
    // Chosen elsewhere: by the way back, or by a link.
    setShown(value);
    setText(value);
  }
  const search = useSettled(text.trim());
  const known = useQuery({
    ...someUsersQuery(organization, project, environment, search),
    enabled: open,
    placeholderData: keepPreviousData,
  });
  const offered = open ? (known.data ?? []) : [];

  function take(key: string) {
    setText(key);
    setOpen(false);
    setActive(-1);
    if (key !== "") choose(key);
  }

  function key(event: KeyboardEvent<HTMLInputElement>) {
    // Enter that ends the composing of a word is not ours.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      take(offered[active]?.key ?? text.trim());
    } else if (event.key === "Escape" && open) {
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      const by = event.key === "ArrowDown" ? 1 : -1;
      setActive(Math.min(Math.max(active + by, -1), offered.length - 1));
    }
  }

  return (
    <div className={classes.around}>
      <input
        className={classes.input}
        role="combobox"
        aria-label={label}
        aria-expanded={offered.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${list}-${active}` : undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="go"
        placeholder={t("why.userPlaceholder")}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setOpen(true);
          setActive(-1);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={key}
      />
      <ul id={list} role="listbox" aria-label={t("why.knownUsers")} hidden={offered.length === 0}>
        {offered.map((it, index) => (
          // The keys are those of the field, which keeps the focus.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={it.key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(it.key)}
          >
            <bdi className={classes.key}>{it.key}</bdi>
            <bdi className={classes.more}>
              {[it.name, ...Object.values(it.properties).slice(0, 3)].filter(Boolean).join(" · ")}
            </bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
