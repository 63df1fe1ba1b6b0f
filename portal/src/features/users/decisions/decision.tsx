import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Sentence } from "@/components/sentence";
import { ReasonWords } from "@/components/why-reason";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import { labelOf } from "@/lib/model/flag";
import classes from "./decisions.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  of: Schemas["DecisionView"];
}

const SURFACES = ["stream", "poll", "ofrep", "evaluate", "track"] as const;

/** Who was given what, when and by what, and what the explanation says of it. */
export function Decision({ organization, project, environment, of }: Props) {
  const { t } = useTranslation();
  const { moment, number } = useFormat();
  const { user, flag, version, check } = of;
  const surface = SURFACES.find((it) => it === of.surface) ?? "evaluate";
  const explained = check?.version ?? version;
  return (
    <li className={classes.row}>
      <span className={classes.when}>
        <time dateTime={of.at}>{moment(of.at)}</time>
        <small>
          {t(`decisions.surface.${surface}`)}
          {version != null && <> · {t("decisions.version", { version: number(version) })}</>}
        </small>
      </span>
      <span className={classes.what}>
        <span>
          <Sentence
            text={t("decisions.got")}
            parts={{
              user: (
                <Link
                  to="/$organization/$project/users/$environment/$user"
                  params={{ organization, project, environment, user }}
                >
                  <bdi>{user}</bdi>
                </Link>
              ),
              variation: <strong>{nameOf(of)}</strong>,
              flag: <code>{flag}</code>,
            }}
          />
        </span>
        <small>
          <Reason of={of} />
        </small>
      </span>
      <span className={classes.check} data-verdict={check?.verdict}>
        {check && (
          <span>
            <Checked check={check} />
          </span>
        )}
        {check?.verdict !== "unknown" && explained != null && (
          <Link
            to="/$organization/$project/flags/$flag/$environment/why"
            params={{ organization, project, flag, environment }}
            search={{ user, version: explained }}
            aria-label={t("users.whyOf", { flag })}
          >
            {t("decisions.why")}
          </Link>
        )}
      </span>
    </li>
  );
}

/** The variation's name as the flag has it today, or what the log has of it. */
function nameOf({ today, variation }: Schemas["DecisionView"]): string {
  return today ? labelOf({ ...today, name: today.name ?? null }) : variation;
}

function Reason({ of }: { of: Schemas["DecisionView"] }) {
  const { t } = useTranslation();
  if (of.reported) return t("decisions.reported");
  // It knows the rule's name and place, where it is of the same.
  const told = of.check?.verdict === "agrees" ? of.check.explained?.reason : undefined;
  if (told) return <ReasonWords reason={told} />;
  if (of.reason === "rule") return t("decisions.aRule");
  return <ReasonWords reason={{ code: of.reason ?? "", params: {}, text: "" }} />;
}

function Checked({ check }: { check: Schemas["DecisionCheck"] }) {
  const { t } = useTranslation();
  const { verdict, codes, explained } = check;
  if (verdict === "agrees") return t("decisions.agrees");
  if (verdict === "unknown") {
    const why = UNKNOWN.find((it) => codes.includes(it)) ?? "userUnknown";
    return t(`decisions.unknown.${why}`);
  }
  if (!explained) return t("decisions.differs");
  const { variation, reason } = explained;
  const gets = variation
    ? labelOf({ ...variation, name: variation.name ?? null })
    : t("effect.codeDefault");
  return (
    <Sentence
      text={t("decisions.differsBy")}
      parts={{ gets: <strong>{gets}</strong>, reason: <ReasonWords reason={reason} /> }}
    />
  );
}

const UNKNOWN = [
  "userUnknown",
  "propertiesChanged",
  "historyReplaced",
  "flagUnknown",
  "notChecked",
] as const;
