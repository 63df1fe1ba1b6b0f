import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { Sentence } from "@/components/sentence";
import { switchedQuery } from "@/lib/api/flag";
import classes from "./switched.module.css";
import { useFlag } from "./use-flag";

interface Props {
  environment: string;
  on: boolean;
  /** Opens what turns it the other way. */
  turn: (event: React.MouseEvent<HTMLElement>) => void;
}

/** That somebody turned it off, or went without approval: who, when and why, and the way back. */
export function Switched({ environment, on, turn }: Props) {
  const { t } = useTranslation();
  const { organization, project, key } = useFlag();
  const last = useQuery(switchedQuery(organization, project, environment, key)).data;
  const change = on ? last?.on : last?.off;
  if (!change || (on && !change.overridden)) return null;
  const reason = change.overridden?.reason || change.comment;
  const text = t(on ? "flag.turnedOn" : "flag.turnedOff", {
    context: change.overridden ? "override" : "",
  });
  return (
    <div className={classes.banner} data-overridden={change.overridden ? true : undefined}>
      <p>
        <Sentence
          text={text}
          parts={{
            actor: (
              <strong>{t("history.by", { actor: change.actor, context: change.actorKind })}</strong>
            ),
            when: (
              <Link to="/$organization/changes/$id" params={{ organization, id: change.id }}>
                <Ago at={change.at} />
              </Link>
            ),
          }}
        />
        {reason && <q className={classes.reason}>{reason}</q>}
      </p>
      <Button small onClick={turn}>
        {t(on ? "flag.turnOffAgain" : "flag.turnOnAgain")}
      </Button>
    </div>
  );
}
