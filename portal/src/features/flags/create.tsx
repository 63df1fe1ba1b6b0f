import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useApplied } from "@/components/applied";
import { Button } from "@/components/button";
import { EnvironmentName } from "@/components/environment";
import { AreaField, TextField } from "@/components/field";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { apply } from "@/lib/changes";
import { keyOf } from "@/lib/key-of";
import classes from "./create.module.css";
import { type NewFlag, commandsOf } from "./new-flag";
import { Values } from "./values";

interface Props {
  organization: string;
  project: string;
  environments: Schemas["EnvironmentView"][];
  close: () => void;
}

const TYPES = ["boolean", "string", "number", "json"] as const;

/** A new flag. A name and Enter make one that is on where that hurts nobody. */
export function CreatePanel({ organization, project, environments, close }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const done = useApplied(organization);
  const harmless = environments.findLast((it) => !it.protected)?.key;
  const [flag, setFlag] = useState<NewFlag>({
    name: "",
    type: "boolean",
    values: ["", ""],
    description: "",
    tags: "",
    on: harmless === undefined ? [] : [harmless],
  });
  const key = flag.key ?? keyOf(flag.name);
  const edit = (change: Partial<NewFlag>) => setFlag((it) => ({ ...it, ...change }));
  const create = useMutation({
    mutationFn: () =>
      apply(organization, { base: {}, commands: commandsOf(project, { ...flag, key }) }),
    onSuccess: async (result) => {
      done(result);
      const first = environments[0]?.key ?? "";
      const params = { organization, project, flag: key, environment: flag.on[0] ?? first };
      await navigate({ to: "/$organization/$project/flags/$flag/$environment", params });
    },
  });
  return (
    <SidePanel title={t("flags.new")} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <TextField
          label={t("create.name")}
          required
          data-autofocus
          value={flag.name}
          onChange={(event) => edit({ name: event.target.value })}
        />
        <TextField
          label={t("create.key")}
          help={t("create.keyHelp")}
          required
          mono
          pattern="[a-zA-Z0-9._\-]{1,128}"
          value={key}
          onChange={(event) => edit({ key: event.target.value })}
        />
        <fieldset className={classes.choices}>
          <legend>{t("create.type")}</legend>
          {TYPES.map((type) => (
            <label key={type}>
              <input
                type="radio"
                name="type"
                checked={flag.type === type}
                onChange={() => edit({ type })}
              />
              {t(`flags.types.${type}`)}
            </label>
          ))}
        </fieldset>
        {flag.type !== "boolean" && (
          <Values type={flag.type} values={flag.values} change={(values) => edit({ values })} />
        )}
        <fieldset className={classes.choices}>
          <legend>{t("create.onIn")}</legend>
          {environments.slice(0, 12).map((it) => (
            <label key={it.key}>
              <input
                type="checkbox"
                checked={flag.on.includes(it.key)}
                onChange={(event) => {
                  const others = flag.on.filter((key) => key !== it.key);
                  edit({ on: event.target.checked ? [...others, it.key] : others });
                }}
              />
              <EnvironmentName of={it} />
            </label>
          ))}
        </fieldset>
        <TextField
          label={t("create.tags")}
          help={t("create.tagsHelp")}
          value={flag.tags}
          onChange={(event) => edit({ tags: event.target.value })}
        />
        <AreaField
          label={t("create.description")}
          value={flag.description}
          onChange={(event) => edit({ description: event.target.value })}
        />
        <Wrong error={create.error} />
        <Button look="primary" type="submit" busy={create.isPending}>
          {key === "" ? t("create.createOne") : t("create.create", { key })}
        </Button>
      </form>
    </SidePanel>
  );
}
