import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TextField } from "@/components/field";
import { Grants } from "@/components/grants";
import { SelectField } from "@/components/select-field";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import type { Statement } from "@/lib/access";
import { type Schemas, api, dataOf } from "@/lib/api/client";
import { tokensQuery } from "@/lib/api/people";
import { MadeToken } from "./made";
import { OwnStatements } from "./own-statements";
import classes from "./tokens.module.css";

interface Props {
  organization: string;
  /** Why no service token can be made. */
  lacking: string | undefined;
  close: () => void;
}

const DAYS = [7, 30, 90, 365] as const;

/** A token: whose voice it speaks with, and how long. */
export function NewToken({ organization, lacking, close }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Schemas["TokenKind"]>("personal");
  const [days, setDays] = useState("90");
  const [networks, setNetworks] = useState("");
  const [policies, setPolicies] = useState<string[]>([]);
  const [statements, setStatements] = useState<Statement[]>([]);
  const create = useMutation({
    mutationFn: async () => {
      const body: Schemas["NewTokenBody"] = {
        kind,
        name,
        networks: networks.split(/[\s,;]+/).filter(Boolean),
        ...(days === "" ? {} : { expiresInDays: Number(days) }),
        ...(kind === "service" ? { policies, statements } : {}),
      };
      return dataOf(await api(organization).POST("/api/v1/tokens", { body }));
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: tokensQuery(organization).queryKey }),
  });
  if (create.data) {
    return (
      <SidePanel title={t("token.new")} close={close}>
        <MadeToken token={create.data} close={close} />
      </SidePanel>
    );
  }
  const refused = kind === "service" ? lacking : undefined;
  return (
    <SidePanel title={t("token.new")} close={close} width={480}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (refused === undefined && !create.isPending) create.mutate();
        }}
      >
        <TextField
          label={t("token.name")}
          help={t("token.nameHelp")}
          required
          maxLength={256}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label={t("token.kind")}
          help={t(kind === "personal" ? "token.personalHelp" : "token.serviceHelp")}
          value={kind}
          onChange={(event) => setKind(event.target.value === "service" ? "service" : "personal")}
        >
          <option value="personal">{t("token.personal")}</option>
          <option value="service">{t("token.service")}</option>
        </SelectField>
        {kind === "service" && (
          <>
            <Grants
              organization={organization}
              only="policies"
              granted={{ policies, groups: [] }}
              change={(it) => setPolicies(it.policies)}
            />
            <OwnStatements
              organization={organization}
              statements={statements}
              change={setStatements}
            />
          </>
        )}
        <SelectField
          label={t("token.ends")}
          value={days}
          onChange={(event) => setDays(event.target.value)}
        >
          {DAYS.map((it) => (
            <option key={it} value={it}>
              {t("token.inDays", { count: it })}
            </option>
          ))}
          <option value="">{t("token.neverEnds")}</option>
        </SelectField>
        <TextField
          label={t("token.networks")}
          help={t("token.networksHelp")}
          mono
          value={networks}
          onChange={(event) => setNetworks(event.target.value)}
        />
        <Wrong error={create.error} />
        <Button type="submit" look="primary" busy={create.isPending} lacking={refused}>
          {t("token.create")}
        </Button>
      </form>
    </SidePanel>
  );
}
