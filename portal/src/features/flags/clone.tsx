import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useApplied } from "@/components/applied";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { Lacking, Needs } from "@/components/needs";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import { Warnings } from "@/components/warnings";
import { type Schemas, api, dataOf } from "@/lib/api/client";
import { asks } from "@/lib/changes";
import { useSettled } from "@/lib/settled";
import { uuid } from "@/lib/uuid";
import classes from "./create.module.css";
import { KeyField, useTaken } from "./key-field";
import { Places } from "./places";

interface Props {
  organization: string;
  project: string;
  index: Schemas["FlagIndex"];
  environments: Schemas["EnvironmentView"][];
  /** The flag that the new one is like. */
  of: string;
  close: () => void;
}

/** A flag like another one; what it does somewhere is copied where that is chosen. */
export function ClonePanel({ organization, project, index, environments, of, close }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const done = useApplied(organization);
  const item = index.items.find((it) => it.key === of);
  const [name, setName] = useState(t("list.copyOf", { name: item?.name ?? of }));
  const [key, setKey] = useState(`${of}-copy`.slice(0, 128));
  const [places, setPlaces] = useState<string[]>([]);
  const [targets, setTargets] = useState(true);
  const [comment, setComment] = useState("");
  const body = {
    key,
    name,
    environments: places,
    targets: targets ? ("copy" as const) : ("skip" as const),
  };
  const path = "/api/v1/projects/{project}/flags/{flag}/clone";
  const params = { path: { project, flag: of } };
  const tried = useSettled(body);
  const taken = useTaken(index, key, undefined);
  const trial = useQuery({
    queryKey: ["review", organization, "clone", project, of, tried],
    queryFn: async ({ signal }) => {
      const answer = await api(organization).POST(path, {
        params,
        body: { ...tried, dryRun: true },
        signal,
      });
      return dataOf(answer);
    },
    enabled: taken === undefined && /^[a-zA-Z0-9._-]{1,128}$/.test(tried.key),
    retry: false,
  });
  const clone = useMutation({
    mutationFn: async () => {
      const sent = { ...body, comment, id: uuid() };
      return dataOf(await api(organization).POST(path, { params, body: sent }));
    },
    onSuccess: async ({ result }) => {
      done(result);
      const environment = places[0] ?? environments[0]?.key ?? "";
      const to = { organization, project, flag: key, environment };
      await navigate({ to: "/$organization/$project/flags/$flag/$environment", params: to });
    },
  });
  const needed = asks(trial.data?.result);
  const missing = needed.lacking[0];
  const lacking =
    needed.approvals.length > 0 ? t("list.cloneWaits") : missing && t("needs.permission", missing);
  return (
    <SidePanel title={t("list.duplicateOf", { flag: of })} close={close}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (taken === undefined && lacking === undefined && !clone.isPending) clone.mutate();
        }}
      >
        <TextField
          label={t("create.name")}
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <KeyField
          organization={organization}
          project={project}
          environment={environments[0]?.key}
          value={key}
          taken={taken}
          change={setKey}
        />
        <Places
          legend={t("list.copyFrom")}
          environments={environments}
          chosen={places}
          change={setPlaces}
        />
        {places.length > 0 && (
          <label className={classes.check}>
            <input
              type="checkbox"
              checked={targets}
              onChange={(event) => setTargets(event.target.checked)}
            />
            {t("list.copyTargets")}
          </label>
        )}
        <Warnings of={trial.data?.warnings ?? []} />
        <Needs needs={trial.data?.result.needs ?? []} />
        <Lacking permissions={needed.lacking} />
        {needed.comment.length > 0 && (
          <TextField
            label={t("review.comment")}
            required
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
        <Wrong error={clone.error ?? trial.error} />
        <Button look="primary" type="submit" busy={clone.isPending} lacking={lacking}>
          {t("create.create", { key })}
        </Button>
      </form>
    </SidePanel>
  );
}
