import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { AreaField } from "@/components/field";
import type { Granted } from "@/components/grants";
import { SidePanel } from "@/components/side-panel";
import { Wrong } from "@/components/states";
import { invitationsQuery, policiesQuery } from "@/lib/api/people";
import { environmentsQuery, projectsQuery } from "@/lib/api/queries";
import { Invited, type Outcome } from "./invited";
import { PresetChoice } from "./preset-choice";
import { type Preset, addressesOf, environmentKeys, guessed } from "./presets";
import { invite } from "./send";
import classes from "./members.module.css";

interface Props {
  organization: string;
  close: () => void;
}

/** So many projects are looked into for the keys of environments. */
const PROJECTS = 12;

/** The form and the links are one panel: it keeps its place. */
const WIDTH = 480;

/** Invites people: who, and what they may do, in a sentence. */
export function InvitePanel({ organization, close }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const projects = useQuery(projectsQuery(organization));
  const found = useQueries({
    queries: (projects.data ?? [])
      .slice(0, PROJECTS)
      .map((it) => environmentsQuery(organization, it.key)),
    combine: (all) => all.flatMap((it) => (it.data ? [it.data] : [])),
  });
  const [text, setText] = useState("");
  const [preset, setPreset] = useState<Preset>("reader");
  const [where, setWhere] = useState<string>();
  const [granted, setGranted] = useState<Granted>({ policies: [], groups: [] });
  const [outcomes, setOutcomes] = useState<Outcome[]>();
  const environment = where ?? guessed(found);
  const emails = addressesOf(text);

  const send = useMutation({
    mutationFn: async () => {
      const known = environmentKeys(found);
      const policies = await queries.fetchQuery(policiesQuery(organization));
      return invite(organization, {
        emails,
        preset,
        environment,
        granted,
        others: known.filter((it) => it !== environment),
        known: policies.map((it) => it.key),
        words: {
          name: t("people.switchName", { environment: environment ?? "" }),
          description: t("people.switchHelp"),
        },
      });
    },
    onSuccess: async (done) => {
      setOutcomes(done);
      await queries.invalidateQueries({ queryKey: invitationsQuery(organization).queryKey });
      await queries.invalidateQueries({ queryKey: policiesQuery(organization).queryKey });
    },
  });

  if (outcomes) {
    return (
      <SidePanel title={t("people.invite")} close={close} width={WIDTH}>
        <Invited
          outcomes={outcomes}
          more={() => {
            setOutcomes(undefined);
            setText("");
          }}
          close={close}
        />
      </SidePanel>
    );
  }
  return (
    <SidePanel title={t("people.invite")} close={close} width={WIDTH}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (emails.length > 0) send.mutate();
        }}
      >
        <AreaField
          label={t("people.emails")}
          help={t("people.emailsHelp")}
          rows={3}
          data-autofocus
          required
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <PresetChoice
          organization={organization}
          chosen={preset}
          choose={setPreset}
          environment={environment}
          environments={found}
          setEnvironment={setWhere}
          granted={granted}
          setGranted={setGranted}
        />
        <Wrong error={send.error} />
        <Button
          type="submit"
          look="primary"
          busy={send.isPending}
          lacking={emails.length === 0 ? t("people.noAddress") : undefined}
        >
          {t("people.inviteAndCopy", { count: Math.max(1, emails.length) })}
        </Button>
      </form>
    </SidePanel>
  );
}
