import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { Wrong } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { keepSettings } from "@/lib/settings";
import classes from "./menus.module.css";

interface Props {
  organization: string;
  project: string;
  anchor: HTMLElement;
  /** The filter that is there now, as text. */
  filter: string;
  /** The saved view that it is. */
  view: Schemas["SavedView"] | undefined;
  close: () => void;
}

/** Names a filter, to come back to it; renames and deletes one that has a name. */
export function ViewMenu({ organization, project, anchor, filter, view, close }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate({ from: "/$organization/$project/flags" });
  const [name, setName] = useState(view?.name ?? "");
  const is = (it: Schemas["SavedView"]) =>
    it.project === project && it.name === view?.name && it.filter === view.filter;
  const keep = useMutation({
    mutationFn: (next: Schemas["SavedView"] | undefined) =>
      keepSettings(queries, organization, (settings) => {
        const views = settings.savedViews ?? [];
        const savedViews = view
          ? views.flatMap((it) => (is(it) ? (next ? [next] : []) : [it]))
          : [...views, ...(next ? [next] : [])];
        return { ...settings, savedViews };
      }),
    onSuccess: async (_, next) => {
      close();
      if (!next) await navigate({ to: ".", search: {} });
    },
  });
  return (
    <Anchored
      anchor={anchor}
      title={view ? t("flags.views.edit", { view: view.name }) : t("flags.views.save")}
      close={close}
    >
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          keep.mutate({ project, name: name.trim(), filter: view?.filter ?? filter });
        }}
      >
        <TextField
          label={t("list.viewName")}
          help={t("list.viewHelp")}
          required
          maxLength={100}
          pattern=".*\S.*"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Wrong error={keep.error} />
        <div className={classes.buttons}>
          <Button type="submit" look="primary" busy={keep.isPending}>
            {t(view ? "list.rename" : "list.saveView")}
          </Button>
          {view && (
            <Button look="danger" onClick={() => keep.mutate(undefined)}>
              {t("list.deleteView")}
            </Button>
          )}
        </div>
      </form>
    </Anchored>
  );
}
