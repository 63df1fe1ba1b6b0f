import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { settingsQuery } from "@/lib/api/queries";
import { SORTS, type Sort } from "@/lib/filter";
import { said } from "@/lib/problems";
import { keepSettings } from "@/lib/settings";
import { toast } from "@/lib/toasts";
import classes from "./menus.module.css";

interface Props {
  organization: string;
  anchor: HTMLElement;
  sort: Sort;
  setSort: (next: Sort) => void;
  close: () => void;
}

/** In which order the rows stand, and how close. */
export function Display({ organization, anchor, sort, setSort, close }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const density = useQuery(settingsQuery(organization)).data?.density ?? "compact";
  const keep = useMutation({
    mutationFn: (next: "compact" | "comfortable") =>
      keepSettings(queries, organization, (it) => ({ ...it, density: next })),
    onError: (error) => toast(said(t, error).text),
  });
  return (
    <Anchored anchor={anchor} title={t("flags.display")} close={close}>
      <div className={classes.form}>
        <fieldset className={classes.choices}>
          <legend>{t("list.order")}</legend>
          {SORTS.map((it) => (
            <label key={it}>
              <input
                type="radio"
                name="sort"
                checked={sort.replace(/^-/, "") === it}
                onChange={() => setSort(it)}
              />
              {t(`list.orders.${it}`)}
            </label>
          ))}
          <label>
            <input
              type="checkbox"
              checked={sort.startsWith("-")}
              onChange={() => setSort((sort.startsWith("-") ? sort.slice(1) : `-${sort}`) as Sort)}
            />
            {t("list.reversed")}
          </label>
        </fieldset>
        <fieldset className={classes.choices}>
          <legend>{t("list.density")}</legend>
          {(["compact", "comfortable"] as const).map((it) => (
            <label key={it}>
              <input
                type="radio"
                name="density"
                checked={density === it}
                onChange={() => keep.mutate(it)}
              />
              {t(`list.densities.${it}`)}
            </label>
          ))}
        </fieldset>
      </div>
    </Anchored>
  );
}
