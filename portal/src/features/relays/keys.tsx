import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Table } from "@/components/table";
import type { RelayKey } from "@/lib/api/relays";
import { useFormat } from "@/lib/format";
import { type Act, KeyActions } from "./actions";
import { EditKey } from "./edit";
import { isRevoked } from "./relays";
import { RevokeKey } from "./revoke";
import { RotateKey } from "./rotate";
import { Scope } from "./scope";
import classes from "./relays.module.css";

interface Props {
  organization: string;
  label: string;
  keys: RelayKey[];
}

/** Keys of relays: for what they are, and what can be done with them. */
export function KeyTable({ organization, label, keys }: Props) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<{ act: Act; key: RelayKey }>();
  const close = () => setAsked(undefined);
  const props = asked && { organization, of: asked.key, close };
  return (
    <>
      <Table label={label} heads={[t("relays.name"), t("relays.scope"), t("relays.made"), ""]}>
        {keys.map((key) => (
          <tr key={key.id} className={classes.row} data-over={isRevoked(key) || undefined}>
            <td>
              <strong>{key.name}</strong>
              {key.description !== "" && <small>{key.description}</small>}
              <small>
                <code>{key.prefix}…</code>
              </small>
            </td>
            <td>
              <Scope of={key.scope} />
            </td>
            <td>
              <Ago at={key.createdAt} />
              {key.createdBy != null && (
                <small>{t("relays.madeBy", { name: key.createdBy })}</small>
              )}
              <State of={key} />
            </td>
            <td className={classes.actions}>
              {!isRevoked(key) && (
                <KeyActions
                  organization={organization}
                  of={key}
                  ask={(act) => setAsked({ act, key })}
                />
              )}
            </td>
          </tr>
        ))}
      </Table>
      {props && asked.act === "edit" && <EditKey {...props} />}
      {props && asked.act === "rotate" && <RotateKey {...props} />}
      {props && asked.act === "revoke" && <RevokeKey {...props} />}
    </>
  );
}

function State({ of: { previousEndsAt, revokedAt } }: { of: RelayKey }) {
  const { t } = useTranslation();
  const { moment } = useFormat();
  if (revokedAt != null) return <small>{t("relays.revokedAt", { at: moment(revokedAt) })}</small>;
  if (previousEndsAt == null) return null;
  return <small data-warning="">{t("relays.oldEnds", { at: moment(previousEndsAt) })}</small>;
}
