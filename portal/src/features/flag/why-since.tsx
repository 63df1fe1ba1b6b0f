import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Sentence } from "@/components/sentence";
import { Gets } from "@/components/why-gets";
import type { Schemas } from "@/lib/api/client";
import type { Flag } from "@/lib/model/flag";
import classes from "./why.module.css";

interface Props {
  organization: string;
  flag: Pick<Flag, "variations">;
  since: Schemas["Since"];
}

/** Since which change they get that, who made it and why, and what they got before. */
export function WhySince({ organization, flag, since }: Props) {
  const { t } = useTranslation();
  const { change, version, at, actor, actorKind, comment, before, reasonBefore, atLeast } = since;
  // What was not released is told so, since nothing else was the reason.
  const how = atLeast ? "atLeast" : reasonBefore == null ? "released" : "changed";
  const parts = {
    change: (
      <Link to="/$organization/changes/$id" params={{ organization, id: change }}>
        {t("why.since.version", { version })}
      </Link>
    ),
    ago: <Ago at={at} />,
    by: <bdi>{t("history.by", { actor, context: actorKind })}</bdi>,
    before: <Gets flag={flag} variation={before} />,
  };
  return (
    <p className={classes.since}>
      <Sentence text={t(`why.since.${how}`)} parts={parts} />
      {comment !== "" && <q>{comment}</q>}
    </p>
  );
}
