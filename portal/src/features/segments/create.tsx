import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { AreaField, TextField } from "@/components/field";
import { KeyList } from "@/components/key-list";
import { useLacking } from "@/components/may";
import { SelectField } from "@/components/select-field";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import type { Schemas } from "@/lib/api/client";
import { settingsQuery } from "@/lib/api/queries";
import { useFormat } from "@/lib/format";
import { keyOf } from "@/lib/key-of";
import { ORGANIZATION, PROJECT, placeAt, resourceOf } from "@/lib/model/segment";
import { environmentsToShow } from "@/lib/pinned";
import { useSettled } from "@/lib/settled";
import { Audience } from "./audience";
import type { Brought } from "./brought";
import classes from "./segments.module.css";
import { useCreate } from "./use-create";

interface Props {
  organization: string;
  project: string;
  environments: Schemas["EnvironmentView"][];
  /** The place that is looked at, as addresses name it. */
  at?: string;
  brought?: Brought;
  close: () => void;
}

/** The same at each rendering: else it would be asked for again. */
const NONE: never[] = [];

/** A new segment: a name, and whom it takes in. */
export function CreatePanel({ organization, project, environments, at, brought, close }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const settings = useQuery(settingsQuery(organization));
  const [name, setName] = useState(brought?.name ?? "");
  const [typedKey, setTypedKey] = useState<string>();
  const [address, setAddress] = useState(at ?? PROJECT);
  const [description, setDescription] = useState("");
  const [included, setIncluded] = useState(brought?.keys ?? []);
  const key = typedKey ?? keyOf(name);
  const place = placeAt(project, address);

  const create = useCreate(organization, project, close);
  const resource = resourceOf(place, useSettled(key) || "*");
  const lacking = useLacking(organization, { create: { action: "segment.create", resource } });
  const duplicates = brought?.duplicates ?? 0;
  return (
    <SidePanel title={t("segments.new")} close={close} width={520}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ address, key, name, description, included });
        }}
      >
        <TextField
          label={t("segments.name")}
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t("segments.key")}
          required
          mono
          pattern="[a-zA-Z0-9._\-]{1,128}"
          value={key}
          onChange={(event) => setTypedKey(event.target.value)}
        />
        <SelectField
          label={t("segments.where")}
          help={t("segments.whereHelp")}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        >
          <option value={PROJECT}>{t("segments.ofProject", { project })}</option>
          {environments.map((it) => (
            <option key={it.key} value={it.key}>
              {t("segments.ofEnvironment", { environment: it.key })}
            </option>
          ))}
          <option value={ORGANIZATION}>{t("segments.ofOrganization")}</option>
        </SelectField>
        <div className={classes.field}>
          <h2>{t("segments.includedUsers")}</h2>
          {duplicates > 0 && (
            <p className={classes.quiet}>
              {t("segments.duplicates", { count: duplicates, number: number(duplicates) })}
            </p>
          )}
          <KeyList
            label={t("segments.includedUsers")}
            keys={included}
            change={setIncluded}
            file={key || "users"}
            {...(place.environment === undefined
              ? {}
              : { place: { organization, project, environment: place.environment } })}
          />
        </div>
        {included.length > 0 && (
          <Audience
            organization={organization}
            project={project}
            environments={
              place.environment === undefined
                ? environmentsToShow(organization, project, environments, settings.data)
                : [place.environment]
            }
            of={{ included, excluded: NONE, rules: NONE }}
          />
        )}
        <AreaField
          label={t("segments.description")}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <Wrong error={create.error} />
        <Button look="primary" type="submit" busy={create.isPending} lacking={lacking.create}>
          {key === "" ? t("segments.createOne") : t("segments.create", { key })}
        </Button>
      </form>
    </SidePanel>
  );
}
