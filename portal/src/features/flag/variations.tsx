import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Flag, Variation, WholeFlag } from "@/lib/model/flag";
import { uuid } from "@/lib/uuid";
import { editFlag } from "./use-flag";
import { VariationRow } from "./variation-row";
import { VariationSelect } from "./variation-select";
import classes from "./variations.module.css";

interface Props {
  server: WholeFlag;
  view: WholeFlag;
}

/** A new variation's value: one that can be read, whatever the type. */
const FRESH: Record<Flag["type"], string> = { boolean: "", string: "", number: "0", json: "{}" };

/** What a flag can serve, in all environments. */
export function Variations({ server, view }: Props) {
  const { t } = useTranslation();
  const { flag } = view;
  const set = (change: (variations: Variation[]) => Variation[]) =>
    editFlag(server, (it) => ({ ...it, variations: change(it.variations) }));
  const fresh = { id: "", name: null, value: FRESH[flag.type] };

  return (
    <>
      <ul className={classes.variations}>
        {flag.variations.map((variation, index) => (
          <VariationRow
            key={variation.id}
            view={view}
            variation={variation}
            before={server.flag.variations.find((it) => it.id === variation.id)}
            place={index}
            change={(next) => set((it) => it.map((old) => (old.id === next.id ? next : old)))}
            remove={() => set((it) => it.filter((old) => old.id !== variation.id))}
          />
        ))}
      </ul>
      {flag.type !== "boolean" && (
        <Button small onClick={() => set((it) => [...it, { ...fresh, id: uuid() }])}>
          {t("create.addValue")}
        </Button>
      )}
      <div className={classes.begins}>
        <span>{t("flag.newEnvironments")}</span>
        <VariationSelect
          flag={flag}
          label={t("flag.beginsOn")}
          value={flag.onVariation}
          change={(onVariation) => editFlag(server, (it) => ({ ...it, onVariation }))}
        />
        <span>{t("flag.beginsOff")}</span>
        <VariationSelect
          flag={flag}
          label={t("flag.beginsOffLabel")}
          value={flag.offVariation}
          change={(offVariation) => editFlag(server, (it) => ({ ...it, offVariation }))}
        />
      </div>
    </>
  );
}
