import { Suspense, lazy, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyAs } from "@/components/copy-as";
import { Sideways } from "@/components/sideways";
import type { Schemas } from "@/lib/api/client";
import type { Copied } from "@/lib/copy-as";
import { type Filter, TYPES, tagsIn, written } from "@/lib/filter";
import { useShortcuts } from "@/lib/shortcuts";
import classes from "./flags.module.css";

const FilterPicker = lazy(() =>
  import("./filter-picker").then((it) => ({ default: it.FilterPicker })),
);

interface Props {
  index: Schemas["FlagIndex"];
  environments: Schemas["EnvironmentView"][];
  filter: Filter;
  change: (next: Filter) => void;
  text: string;
  setText: (text: string) => void;
  copied: Copied;
}

/** Of what a filter is chosen in a popover. */
export type Part = "tag" | "on" | "off";

/** What of the list is shown. All of it stands in the address. */
export function Filters({ index, environments, filter, change, text, setText, copied }: Props) {
  const { t } = useTranslation();
  const search = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState<{ part: Part; anchor: HTMLElement }>();
  useShortcuts([{ keys: "/", words: t("flags.search"), run: () => search.current?.focus() }]);
  const part = (name: Part, words: string) => (
    <Button
      small
      className={classes.part}
      data-set={filter[name] !== undefined || undefined}
      aria-haspopup="dialog"
      onClick={({ currentTarget }) => setOpen({ part: name, anchor: currentTarget })}
    >
      <span>{words}</span>
    </Button>
  );
  const tags = tagsIn(filter).join(", ");
  const { on, off } = filter;
  return (
    <Sideways className={classes.filters} role="search">
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
      {part("tag", tags === "" ? t("flags.tag") : t("flags.tagIs", { tags }))}
      <select
        className={classes.choice}
        aria-label={t("flags.type")}
        data-set={filter.type !== undefined || undefined}
        value={filter.type ?? ""}
        onChange={(event) => {
          const { type: _, ...rest } = filter;
          const type = TYPES.find((it) => it === event.target.value);
          change(type ? { ...rest, type } : rest);
        }}
      >
        <option value="">{t("flags.type")}</option>
        {TYPES.map((type) => (
          <option key={type} value={type}>
            {t(`flags.types.${type}`)}
          </option>
        ))}
      </select>
      {part("on", on === undefined ? t("flags.onIn") : t("flags.onInOne", { environment: on }))}
      {part(
        "off",
        off === undefined ? t("flags.offIn") : t("flags.offInOne", { environment: off }),
      )}
      {written({ ...filter, q: text }) !== "" && (
        <Button
          small
          look="quiet"
          onClick={() => {
            setText("");
            change({});
          }}
        >
          {t("flags.clear")}
        </Button>
      )}
      <span className={classes.copy}>
        <CopyAs of={copied} look="quiet" />
      </span>
      <Suspense>
        {open && (
          <FilterPicker
            {...open}
            index={index}
            environments={environments}
            filter={filter}
            change={change}
            close={() => setOpen(undefined)}
          />
        )}
      </Suspense>
    </Sideways>
  );
}
