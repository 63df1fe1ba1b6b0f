import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import { api, dataOf } from "@/lib/api/client";
import { uuid } from "@/lib/uuid";
import classes from "./flag.module.css";
import { useFlag } from "./use-flag";

/** A flag like this one: its definition, and its targeting where that is wanted. */
export function Duplicate({ close }: { close: () => void }) {
  const { t } = useTranslation();
  const { organization, project, key, environments, server } = useFlag();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const released = (environments.data ?? []).filter((it) => server?.targetings[it.key]);
  const [copy, setCopy] = useState(`${key}-copy`);
  const [name, setName] = useState(t("flag.copyOf", { name: server?.flag.name ?? key }));
  const [chosen, setChosen] = useState<string[]>([]);
  const [targets, setTargets] = useState(false);
  const make = useMutation({
    mutationFn: async () => {
      const params = { path: { project, flag: key } };
      const body = {
        id: uuid(),
        key: copy.trim(),
        name: name.trim(),
        environments: chosen,
        targets: targets ? ("copy" as const) : ("skip" as const),
      };
      const path = "/api/v1/projects/{project}/flags/{flag}/clone";
      return dataOf(await api(organization).POST(path, { params, body }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["flagIndex", organization] });
      close();
      const to = "/$organization/$project/flags/$flag";
      void navigate({ to, params: { organization, project, flag: copy.trim() } });
    },
  });
  return (
    <SidePanel title={t("flag.duplicate")} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <TextField
          label={t("create.name")}
          data-autofocus
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t("create.key")}
          help={t("create.keyHelp")}
          mono
          required
          value={copy}
          onChange={(event) => setCopy(event.target.value)}
        />
        {released.length > 0 && (
          <fieldset className={classes.choices}>
            <legend>{t("flag.copyTargeting")}</legend>
            {released.map((it) => (
              <label key={it.key}>
                <input
                  type="checkbox"
                  checked={chosen.includes(it.key)}
                  onChange={({ target }) =>
                    setChosen((now) =>
                      target.checked ? [...now, it.key] : now.filter((one) => one !== it.key),
                    )
                  }
                />
                {it.key}
              </label>
            ))}
            <label>
              <input
                type="checkbox"
                checked={targets}
                onChange={({ target }) => setTargets(target.checked)}
              />
              {t("flag.copyTargets")}
            </label>
          </fieldset>
        )}
        <Wrong error={make.error} />
        <div>
          <Button type="submit" look="primary" busy={make.isPending}>
            {t("create.create", { key: copy })}
          </Button>
        </div>
      </form>
    </SidePanel>
  );
}
