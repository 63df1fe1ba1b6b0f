import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Refused as Refusal } from "@/lib/api/client";
import type { Asked } from "@/lib/api/permissions";
import { lackOf } from "@/lib/problems";
import { Failure } from "./states";
import { useWhom } from "./whom";
import classes from "./states.module.css";

interface Props {
  error: unknown;
  retry: () => void;
  /** What one needs to see this. */
  needs: Asked;
}

/** A page that could not be shown; where a permission is missing, which, and who grants it. */
export function Refused({ error, retry, needs }: Props) {
  const { t } = useTranslation();
  if (!(error instanceof Refusal) || error.problem?.code !== "forbidden") {
    return <Failure error={error} retry={retry} />;
  }
  return <NoRight needs={lackOf(error) ?? needs} title={t("state.noAccess")} />;
}

/** What is missing to see what would be here. */
export function NoRight({ needs, title }: { needs: Asked; title: string }) {
  const { organization = "" } = useParams({ strict: false });
  const [text] = useWhom(organization, [needs]);
  return (
    <div className={classes.state} data-inside role="alert">
      <h2>{title}</h2>
      <p>{text}</p>
    </div>
  );
}
