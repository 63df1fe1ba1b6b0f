/** What a page shows where it has nothing to show. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "@/lib/api/client";
import { meQuery } from "@/lib/api/queries";
import { type Said, lackOf, said } from "@/lib/problems";
import { Button } from "./button";
import classes from "./states.module.css";
import { useWhom } from "./whom";

/** What went wrong; where a permission is missing, which, and who can grant it. */
function useSaid(error: unknown): Said {
  const { t } = useTranslation();
  const { organization = "" } = useParams({ strict: false });
  const lack = lackOf(error);
  const [whom] = useWhom(organization, lack ? [lack] : []);
  const it = said(t, error);
  return whom === undefined ? it : { ...it, text: whom };
}

/** Nothing here yet: one sentence, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={classes.state} data-blank>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** The refusal of an organization to members who sign in with a password alone. */
const NO_FACTOR = "secondFactorNeeded";

/** The one page that such a member can use. */
function ToSecondFactor() {
  const { t } = useTranslation();
  const named = useParams({ strict: false }).organization;
  const me = useQuery({ ...meQuery, enabled: false });
  const organization = named ?? me.data?.organizations[0]?.key;
  if (organization === undefined) return null;
  return (
    <Link to="/$organization/settings/security" params={{ organization }}>
      {t("state.setUpFactor")}
    </Link>
  );
}

/** It went wrong, or may not be seen: what happened, and a way on. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useTranslation();
  const { text, code } = useSaid(error);
  const status = error instanceof Refused ? error.status : 0;
  const lacksFactor = code === NO_FACTOR;
  const titles = {
    403: lacksFactor ? t("state.secondFactor") : t("state.noAccess"),
    404: t("state.missing"),
  } as Record<number, string>;
  return (
    <div className={classes.state} data-blank role="alert">
      <h1>{titles[status] ?? t("state.failed")}</h1>
      <p>{status === 404 ? t("state.missingHelp") : text}</p>
      {status === 404 && <a href="/">{t("state.home")}</a>}
      {lacksFactor && <ToSecondFactor />}
      {status === 403 && !lacksFactor && !lackOf(error) && <p>{t("state.whomToAsk")}</p>}
      {retry && status !== 403 && status !== 404 && (
        <Button onClick={retry}>{t("state.retry")}</Button>
      )}
    </div>
  );
}

/** An address that leads nowhere. */
export function NoPage() {
  const { t } = useTranslation();
  return (
    <Empty title={t("state.missing")}>
      <a href="/">{t("state.home")}</a>
    </Empty>
  );
}

/** What is on its way, in the place that it will take. */
export function Waiting({ rows = 8 }: { rows?: number }) {
  const { t } = useTranslation();
  return (
    <div className={classes.waiting} role="status" aria-label={t("state.loading")}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={classes.bone} />
      ))}
    </div>
  );
}

/** A refusal inside a form or panel. */
export function Wrong({ error }: { error: unknown }) {
  const { text, fields, code } = useSaid(error);
  if (error == null) return null;
  const more = Object.values(fields).filter((it) => it !== text);
  return (
    <div className={classes.wrong} role="alert">
      {text}
      {more.map((it) => (
        <div key={it}>{it}</div>
      ))}
      {code === NO_FACTOR && (
        <div>
          <ToSecondFactor />
        </div>
      )}
    </div>
  );
}
