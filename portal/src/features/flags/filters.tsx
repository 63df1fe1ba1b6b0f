import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { type Filter, tagsOf } from "@/lib/filter";
import { useShortcuts } from "@/lib/shortcuts";
import classes from "./flags.module.css";

interface Props {
  index: Schemas["FlagIndex"];
  filter: Filter;
  change: (next: Filter) => void;
  text: string;
  setText: (text: string) => void;
}

/** What of the list is shown. All of it stands in the address. */
export function Filters({ index, filter, change, text, setText }: Props) {
  const { t } = useTranslation();
  const search = useRef<HTMLInputElement>(null);
  useShortcuts([
    { keys: "/", words: t("flags.search"), run: () => search.current?.focus() },
    { keys: ["j", "k", "ArrowDown", "ArrowUp"], words: t("flags.move") },
  ]);

  function choose(name: "tag" | "type" | "on" | "off", value: string) {
    const { [name]: _, ...rest } = filter;
    change((value === "" ? rest : { ...rest, [name]: value }) as Filter);
  }

  const environments = index.environments.map((key) => ({ key, label: key }));
  return (
    <div className={classes.filters} role="search">
      <input
        ref={search}
        type="search"
        className={classes.search}
        placeholder={t("flags.search")}
        aria-label={t("flags.search")}
        title="/"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Choice
        label={t("flags.anyTag")}
        value={filter.tag}
        options={tagsOf(index).map((key) => ({ key, label: key }))}
        choose={(value) => choose("tag", value)}
      />
      <Choice
        label={t("flags.anyType")}
        value={filter.type}
        options={(["boolean", "string", "number", "json"] as const).map((key) => ({
          key,
          label: t(`flags.types.${key}`),
        }))}
        choose={(value) => choose("type", value)}
      />
      <Choice
        label={t("flags.onIn")}
        value={filter.on}
        options={environments.map((it) => ({
          ...it,
          label: t("flags.onInOne", { environment: it.key }),
        }))}
        choose={(value) => choose("on", value)}
      />
      <Choice
        label={t("flags.offIn")}
        value={filter.off}
        options={environments.map((it) => ({
          ...it,
          label: t("flags.offInOne", { environment: it.key }),
        }))}
        choose={(value) => choose("off", value)}
      />
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={filter.archived ?? false}
          onChange={(event) => {
            const { archived: _, ...rest } = filter;
            change(event.target.checked ? { ...rest, archived: true } : rest);
          }}
        />
        {t("flags.archived")}
      </label>
    </div>
  );
}

interface ChoiceProps {
  /** What it is called, and what is shown while nothing is chosen. */
  label: string;
  value: string | undefined;
  options: { key: string; label: string }[];
  choose: (value: string) => void;
}

function Choice({ label, value = "", options, choose }: ChoiceProps) {
  if (options.length === 0) return null;
  return (
    <select
      className={classes.choice}
      aria-label={label}
      data-set={value !== "" || undefined}
      value={value}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">{label}</option>
      {options.map((it) => (
        <option key={it.key} value={it.key}>
          {it.label}
        </option>
      ))}
    </select>
  );
}
