import { useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./check-list.module.css";

export interface Choice {
  key: string;
  name: string;
  help?: string | undefined;
}

interface Props {
  label: string;
  choices: Choice[];
  chosen: string[];
  change: (chosen: string[]) => void;
  /** Said where there is nothing to choose. */
  none: string;
  disabled?: boolean;
}

/** So many are looked through with the eyes. */
const SEARCHED_FROM = 12;
/** So many are drawn: one who has more searches. */
const SHOWN = 60;

/** Several of some: what is chosen stands first. */
export function CheckList({ label, choices, chosen, change, none, disabled = false }: Props) {
  const { t } = useTranslation();
  const [search, setSearch] = useState("");
  // The order is that of the moment when it was opened: nothing moves under the pointer.
  const [first] = useState(() => new Set(chosen));
  const wanted = search.trim().toLowerCase();
  const found = choices
    .filter((it) => `${it.name} ${it.key}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(first.has(b.key)) - Number(first.has(a.key)));
  return (
    <fieldset className={classes.list}>
      <legend>{label}</legend>
      {choices.length > SEARCHED_FROM && (
        <input
          type="search"
          className={classes.search}
          aria-label={t("people.searchIn", { what: label })}
          placeholder={t("shell.search")}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      {choices.length === 0 && <p className={classes.none}>{none}</p>}
      {found.slice(0, SHOWN).map(({ key, name, help }) => (
        <label key={key} className={classes.item}>
          <input
            type="checkbox"
            disabled={disabled}
            checked={chosen.includes(key)}
            onChange={(event) =>
              change(event.target.checked ? [...chosen, key] : chosen.filter((it) => it !== key))
            }
          />
          <span>
            {name}
            {help && <small>{help}</small>}
          </span>
        </label>
      ))}
      {found.length > SHOWN && (
        <p className={classes.none}>{t("people.more", { count: found.length - SHOWN })}</p>
      )}
    </fieldset>
  );
}
