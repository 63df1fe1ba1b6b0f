import { useMutation } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useApplied } from "@/components/applied";
import { Button } from "@/components/button";
import { AreaField, TextField } from "@/components/field";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { apply } from "@/lib/changes";
import { keyOf } from "@/lib/key-of";
import { wrongValue } from "@/lib/model/value";
import classes from "./create.module.css";
import { KeyField, useTaken } from "./key-field";
import { type NewFlag, commandsOf } from "./new-flag";
import { Places } from "./places";
import { Values } from "./values";

interface Props {
  organization: string;
  project: string;
  index: Schemas["FlagIndex"];
  environments: Schemas["EnvironmentView"][];
  close: () => void;
}

const TYPES = ["boolean", "string", "number", "json"] as const;

/** A new flag. A name and Enter make one that is on where that hurts nobody. */
export function CreatePanel({ organization, project, index, environments, close }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const done = useApplied(organization);
  const harmless = environments.findLast((it) => !it.protected)?.key;
  // Said where one came from, as in `create New cart` of the palette.
  const name = useLocation({ select: (it) => it.state.newFlag ?? "" });
  const [flag, setFlag] = useState<NewFlag>({
    name,
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
  const taken = useTaken(index, key, create.error);
  const { type } = flag;
  const typed = type === "boolean" ? [] : flag.values;
  const wrong = typed.some((it) => wrongValue(type, it) !== undefined);
  return (
    <SidePanel title={t("flags.new")} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!taken && !wrong && !create.isPending) create.mutate();
        }}
      >
        <TextField
          label={t("create.name")}
          required
          data-autofocus
          value={flag.name}
          onChange={(event) => edit({ name: event.target.value })}
        />
        <KeyField
          organization={organization}
          project={project}
          environment={environments[0]?.key}
          value={key}
          taken={taken}
          change={(key) => edit({ key })}
        />
        <fieldset className={classes.choices}>
          <legend>{t("create.type")}</legend>
          {TYPES.map((it) => (
            <label key={it}>
              <input
                type="radio"
                name="type"
                checked={type === it}
                onChange={() => edit({ type: it })}
              />
              {t(`flags.types.${it}`)}
            </label>
          ))}
        </fieldset>
        {type !== "boolean" && (
          <Values type={type} values={flag.values} change={(values) => edit({ values })} />
        )}
        <Places
          legend={t("create.onIn")}
          environments={environments}
          chosen={flag.on}
          change={(on) => edit({ on })}
        />
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
        {taken === undefined && <Wrong error={create.error} />}
        <Button look="primary" type="submit" busy={create.isPending}>
          {key === "" ? t("create.createOne") : t("create.create", { key })}
        </Button>
      </form>
    </SidePanel>
  );
}
