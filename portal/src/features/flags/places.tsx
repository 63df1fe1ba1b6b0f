import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EnvironmentName } from "@/components/environment";
import { Picker } from "@/components/picker";
import type { Schemas } from "@/lib/api/client";
import classes from "./create.module.css";

interface Props {
  legend: string;
  environments: Schemas["EnvironmentView"][];
  chosen: string[];
  change: (keys: string[]) => void;
}

/** As many are offered at once; the others are found by typing. */
const AT_ONCE = 8;

/** Some of the environments. */
export function Places({ legend, environments, chosen, change }: Props) {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const toggle = (key: string) => {
    const others = chosen.filter((it) => it !== key);
    change(others.length < chosen.length ? others : [...chosen, key]);
  };
  const few = environments.length <= AT_ONCE;
  const offered = environments.filter(
    (it, index) => few || index < AT_ONCE / 2 || chosen.includes(it.key),
  );
  return (
    <fieldset className={classes.choices}>
      <legend>{legend}</legend>
      {offered.map((it) => (
        <label key={it.key}>
          <input
            type="checkbox"
            checked={chosen.includes(it.key)}
            onChange={() => toggle(it.key)}
          />
          <EnvironmentName of={it} />
        </label>
      ))}
      {!few && (
        <Button small aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
          {t("create.otherPlaces")}
        </Button>
      )}
      <Suspense>
        {anchor && (
          <Picker
            anchor={anchor}
            title={legend}
            close={() => setAnchor(undefined)}
            multiple
            chosen={chosen}
            choices={environments.map((it) => ({
              key: it.key,
              text: `${it.key} ${it.name}`,
              look: <EnvironmentName of={it} />,
            }))}
            choose={toggle}
          />
        )}
      </Suspense>
    </fieldset>
  );
}
