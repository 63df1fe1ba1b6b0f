import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { ConfirmName } from "@/components/confirm-name";
import { Wrong } from "@/components/states";
import { Table } from "@/components/table";
import type { Schemas } from "@/lib/api/client";
import { type Place, revokeSdkKey, rotateSdkKey, sdkKeysQuery } from "@/lib/api/environments";
import { useFormat } from "@/lib/format";
import { Actions } from "./actions";
import { isLeaving, isOver } from "./grace";
import { LastUse } from "./last-use";
import { RenameKey } from "./rename";
import { Rotated } from "./rotated";
import { Secret } from "./secret";
import classes from "./sdk-keys.module.css";

type Key = Schemas["SdkKeyView"];

export interface Lacks {
  write?: string;
  reveal?: string;
}

interface Props {
  place: Place;
  keys: Key[];
  /** How long the old one works on, in seconds. */
  grace: number;
  lacking: Lacks;
}

interface Asked {
  what: "rotate" | "revoke" | "rename";
  key: Key;
}

/** Keys: what they are, when they were used, and what can be done with them. */
export function KeyTable({ place, keys, grace, lacking }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const again = () => queries.invalidateQueries(sdkKeysQuery(place));
  const rotation = useMutation({
    mutationFn: async (old: Key) => ({ old, made: await rotateSdkKey(place, old.id, grace) }),
    onSuccess: again,
  });
  const rotate = (key: Key) => {
    // Without a grace programs with the old key are turned out at once: that is asked for.
    if (grace === 0) setAsked({ what: "rotate", key });
    else rotation.mutate(key);
  };
  return (
    <>
      {rotation.data && <Rotated {...rotation.data} grace={grace} />}
      <Wrong error={rotation.error} />
      <Table
        label={t("sdkKeys.title")}
        heads={[
          t("sdkKeys.name"),
          t("sdkKeys.kind"),
          t("sdkKeys.secret"),
          t("sdkKeys.created"),
          t("sdkKeys.firstUsed"),
          t("sdkKeys.lastUsed"),
          "",
        ]}
      >
        {keys.map((key) => (
          <tr key={key.id} data-over={isOver(key) || undefined} className={classes.row}>
            <td>
              <strong>{key.name}</strong>
              <State of={key} />
            </td>
            <td>{t(`sdkKeys.kinds.${key.kind}`)}</td>
            <td>
              <Secret of={key} lacking={lacking.reveal} />
            </td>
            <td>
              <Ago at={key.createdAt} />
            </td>
            <Used at={key.firstUsedAt} />
            <Used at={key.lastUsedAt} />
            <td className={classes.actions}>
              {!isOver(key) && (
                <Actions
                  of={key}
                  lacking={lacking.write}
                  busy={rotation.isPending && rotation.variables.id === key.id}
                  rotate={isLeaving(key) ? undefined : () => rotate(key)}
                  rename={() => setAsked({ what: "rename", key })}
                  revoke={() => setAsked({ what: "revoke", key })}
                />
              )}
            </td>
          </tr>
        ))}
      </Table>
      {asked?.what === "rename" && <RenameKey place={place} of={asked.key} close={close} />}
      {asked?.what === "revoke" && (
        <ConfirmName
          name={asked.key.name}
          command={t("sdkKeys.revokeNamed", { name: asked.key.name })}
          run={async () => {
            await revokeSdkKey(place, asked.key.id);
            await again();
          }}
          close={close}
        >
          <p>{t("sdkKeys.revokeHelp")}</p>
          <LastUse of={asked.key} />
        </ConfirmName>
      )}
      {asked?.what === "rotate" && (
        <ConfirmName
          name={asked.key.name}
          command={t("sdkKeys.rotateNow", { name: asked.key.name })}
          run={() => rotation.mutateAsync(asked.key)}
          close={close}
        >
          <p>{t("sdkKeys.rotateNowHelp")}</p>
          <LastUse of={asked.key} />
        </ConfirmName>
      )}
    </>
  );
}

function Used({ at }: { at: string | null | undefined }) {
  const { t } = useTranslation();
  return <td>{at == null ? t("sdkKeys.never") : <Ago at={at} />}</td>;
}

function State({ of: { endsAt, revokedAt } }: { of: Key }) {
  const { t } = useTranslation();
  const { moment } = useFormat();
  if (revokedAt != null) {
    return <small>{t("sdkKeys.over", { at: moment(revokedAt) })}</small>;
  }
  if (endsAt == null) return null;
  return <small data-warning="">{t("sdkKeys.ends", { at: moment(endsAt) })}</small>;
}
