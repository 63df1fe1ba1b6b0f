import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EditForm } from "@/components/edit-form";
import { AreaField, TextField } from "@/components/field";
import { SidePanel } from "@/components/side-panel";
import { Failure, Waiting } from "@/components/states";
import type { Schemas, Tagged } from "@/lib/api/client";
import { knownPropertyQuery, setProperty } from "@/lib/api/user-properties";
import { presetLines, presetsOf } from "./presets";
import classes from "./users.module.css";

interface Props {
  organization: string;
  project: string;
  name: string;
  /** Those of which something is known. */
  names: string[] | undefined;
  close: () => void;
}

/** What is said of a property, to be edited. */
export function PropertyPanel({ name, names, close, ...place }: Props) {
  const { t } = useTranslation();
  const known = names?.includes(name) ?? false;
  const property = useQuery({
    ...knownPropertyQuery(place.organization, place.project, name),
    enabled: known,
  });
  const title = known ? t("users.editProperty", { name }) : t("users.addProperty");
  return (
    <SidePanel title={title} close={close}>
      {property.isError ? (
        <Failure error={property.error} retry={() => void property.refetch()} />
      ) : !names || (known && !property.data) ? (
        <Waiting rows={4} />
      ) : (
        <Form
          {...place}
          name={name}
          begin={property.data}
          names={names}
          again={async () => (await property.refetch()).data}
          close={close}
        />
      )}
    </SidePanel>
  );
}

interface FormProps {
  organization: string;
  project: string;
  name: string;
  begin: Tagged<Schemas["UserPropertyView"]> | undefined;
  names: string[];
  again: () => Promise<Tagged<Schemas["UserPropertyView"]> | undefined>;
  close: () => void;
}

function Form({ organization, project, name, begin, names, again, close }: FormProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const first = {
    name,
    description: begin?.it.description ?? "",
    presets: presetLines(begin?.it.presets ?? []),
    presetsOnly: begin?.it.presetsOnly ?? false,
  };
  const [typed, setTyped] = useState(first);
  const [tag, setTag] = useState(begin?.tag ?? "");
  const set = (part: Partial<typeof typed>) => setTyped({ ...typed, ...part });
  const dirty = JSON.stringify(typed) !== JSON.stringify(first) || (!begin && typed.name !== "");

  // Else what somebody else said of it would be gone.
  const taken = !begin && names.includes(typed.name.trim());

  async function save() {
    const { description, presetsOnly } = typed;
    const body = { description, presetsOnly, presets: presetsOf(typed.presets) };
    const path = { project, name: begin ? name : typed.name.trim() };
    await setProperty(organization, path, body, tag);
    await queries.invalidateQueries({ queryKey: ["userProperties", organization] });
    void queries.invalidateQueries({ queryKey: ["properties", organization] });
    close();
  }

  return (
    <EditForm
      command={t("users.saveProperty", { name: typed.name.trim() || "…" })}
      saved={t("users.propertySaved", { name: typed.name.trim() })}
      save={save}
      dirty={dirty}
      lacking={taken ? t("problem.codes.taken") : undefined}
      reset={() => setTyped(first)}
      again={async () => setTag((await again())?.tag ?? "")}
    >
      <TextField
        label={t("users.property")}
        data-autofocus={name === "" || undefined}
        help={t("users.propertyHelp")}
        error={taken ? t("problem.codes.taken") : undefined}
        mono
        required
        readOnly={begin !== undefined}
        maxLength={256}
        value={typed.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label={t("users.means")}
        data-autofocus={name !== "" || undefined}
        maxLength={2000}
        value={typed.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <AreaField
        label={t("users.presets")}
        help={t("users.presetsHelp")}
        mono
        rows={6}
        placeholder={"de: Germany\nat: Austria"}
        value={typed.presets}
        onChange={(event) => set({ presets: event.target.value })}
      />
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={typed.presetsOnly}
          onChange={() => set({ presetsOnly: !typed.presetsOnly })}
        />
        {t("users.presetsOnly")}
      </label>
    </EditForm>
  );
}
