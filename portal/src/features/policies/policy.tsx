import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { Refused } from "@/components/refused";
import { Statements } from "@/components/statements";
import { Waiting } from "@/components/states";
import { policyHelp, policyName } from "@/lib/access";
import { policyQuery } from "@/lib/api/people";
import { useTitle } from "@/lib/title";
import { Below } from "./below";
import { EditPolicy } from "./edit-policy";
import { NewPolicy } from "./new-policy";
import { useDelete } from "./use-delete";

/** A policy: what it says, who has it, and whether it does what it should. */
export function PolicyPage() {
  const { t } = useTranslation();
  const { organization, policy: key } = useParams({
    from: "/$organization/settings/policies/$policy",
  });
  const found = useQuery(policyQuery(organization, key));
  const policy = found.data?.it;
  const resource = `policy/${key}`;
  const name = policyName(t, key, policy?.name);
  useTitle(name);
  const lacking = useLacking(organization, {
    write: { action: "policy.write", resource },
  });
  const [open, setOpen] = useState<"delete" | "copy">();
  const remove = useDelete(organization, key);
  const trail = (
    <Link to="/$organization/settings/policies" params={{ organization }}>
      {t("policy.policies")}
    </Link>
  );
  const actions = policy && (
    <>
      <Button lacking={lacking.write} onClick={() => setOpen("copy")}>
        {t("policy.copy")}
      </Button>
      {!policy.builtin && (
        <Button look="danger" lacking={lacking.write} onClick={() => setOpen("delete")}>
          {t("policy.delete")}
        </Button>
      )}
    </>
  );
  return (
    <Page
      title={name}
      trail={trail}
      help={policy?.builtin && policyHelp(t, key, policy.description)}
      actions={actions}
    >
      {found.isError && (
        <Refused
          error={found.error}
          retry={() => void found.refetch()}
          needs={{ action: "policy.read", resource }}
        />
      )}
      {found.isPending && <Waiting />}
      {policy?.builtin && (
        <>
          <Statements of={policy.statements} />
          <Below organization={organization} policy={key} />
        </>
      )}
      {found.data && !policy?.builtin && (
        <EditPolicy
          key={key}
          organization={organization}
          found={found.data}
          lacking={lacking.write}
        />
      )}
      {open === "copy" && policy && (
        <NewPolicy
          organization={organization}
          statements={policy.statements}
          close={() => setOpen(undefined)}
        />
      )}
      {open === "delete" && (
        <ConfirmName
          name={key}
          command={t("policy.deleteOne", { key })}
          run={remove}
          close={() => setOpen(undefined)}
        >
          <p>{t("policy.deleteHelp")}</p>
        </ConfirmName>
      )}
    </Page>
  );
}
