import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import { Picker } from "@/components/picker";
import type { Schemas } from "@/lib/api/client";
import { type Filter, tagsIn, tagsOf } from "@/lib/filter";
import type { Part } from "./filters";

interface Props {
  part: Part;
  anchor: HTMLElement;
  index: Schemas["FlagIndex"];
  environments: Schemas["EnvironmentView"][];
  filter: Filter;
  change: (next: Filter) => void;
  close: () => void;
}

/** The choices of a part of the filter: several tags, or one environment. */
export function FilterPicker({ part, anchor, index, environments, filter, change, close }: Props) {
  const { t } = useTranslation();
  const { [part]: value, ...rest } = filter;
  if (part === "tag") {
    const chosen = tagsIn(filter);
    return (
      <Picker
        anchor={anchor}
        title={t("flags.tag")}
        close={close}
        multiple
        chosen={chosen}
        choices={tagsOf(index).map((key) => ({ key, text: key }))}
        choose={(tag) => {
          const others = chosen.filter((it) => it !== tag);
          const next = others.length < chosen.length ? others : [...chosen, tag];
          change(next.length > 0 ? { ...rest, tag: next.join(",") } : rest);
        }}
      />
    );
  }
  return (
    <Picker
      anchor={anchor}
      title={t(part === "on" ? "flags.onIn" : "flags.offIn")}
      close={close}
      chosen={value === undefined ? [] : [value]}
      choices={environments.map((it) => ({
        key: it.key,
        text: `${it.key} ${it.name}`,
        look: <EnvironmentName of={it} />,
      }))}
      choose={(key) => change(key === value ? rest : { ...rest, [part]: key })}
    />
  );
}
