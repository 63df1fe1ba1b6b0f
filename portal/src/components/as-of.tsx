import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { versionAt, versionsQuery } from "@/lib/api/why";
import { useFormat } from "@/lib/format";
import { useNow } from "@/lib/now";
import classes from "./as-of.module.css";
import { Wrong } from "./states";

/** The present, what is not applied yet, or a version that was. */
export type At = "draft" | number | undefined;

interface Props {
  organization: string;
  project: string;
  environment: string;
  /** Whose versions are offered; those of all flags where absent. */
  flag?: string;
  at: At;
  change: (at: At) => void;
  /** Whether there are edits that are not applied. */
  edited: boolean;
}

const MOMENT = "moment";

/** In which state it is asked: now, after one's edits, or as it was. */
export function AsOf({ organization, project, environment, flag, at, change, edited }: Props) {
  const { t } = useTranslation();
  const { ago, number, moment: absolute } = useFormat();
  const now = useNow();
  const [choosing, setChoosing] = useState(false);
  const changes = useQuery(versionsQuery(organization, project, environment, flag));
  const find = useMutation({
    mutationFn: (to: string) => versionAt(organization, project, environment, to),
    onSuccess: (version) => change(version),
  });
  const known = (changes.data ?? []).flatMap((it) => {
    const version = it.versions[`${project}/${environment}`];
    return version === undefined ? [] : [{ version, at: it.at, by: it.actor }];
  });
  const other = typeof at === "number" && !known.some((it) => it.version === at);

  function chosen(value: string) {
    setChoosing(value === MOMENT);
    if (value === MOMENT) return;
    change(value === "" ? undefined : value === "draft" ? "draft" : Number(value));
  }

  return (
    <span className={classes.around}>
      <select
        className={classes.control}
        aria-label={t("why.asOf")}
        value={choosing ? MOMENT : (at ?? "")}
        onChange={(event) => chosen(event.target.value)}
      >
        <option value="">{t("why.now")}</option>
        {edited && <option value="draft">{t("why.afterEdits")}</option>}
        {other && <option value={at}>{t("why.version", { version: number(at) })}</option>}
        {known.map((it) => (
          <option key={it.version} value={it.version} title={absolute(it.at)}>
            {t("why.versionBy", {
              version: number(it.version),
              ago: ago(it.at, now),
              by: it.by,
            })}
          </option>
        ))}
        <option value={MOMENT}>{t("why.moment")}</option>
      </select>
      {choosing && (
        <input
          type="datetime-local"
          className={classes.control}
          aria-label={t("why.momentLabel")}
          autoFocus
          onChange={(event) => {
            const to = new Date(event.target.value);
            if (!Number.isNaN(to.getTime())) find.mutate(to.toISOString());
          }}
        />
      )}
      <Wrong error={find.error} />
    </span>
  );
}
