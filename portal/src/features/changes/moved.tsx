import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useLacking } from "@/components/may";
import { SelectField } from "@/components/select-field";
import { Failure, Waiting } from "@/components/states";
import { effectsQuery } from "@/lib/api/changes";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import classes from "./changes.module.css";
import moved from "./moved.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  version: number;
  /** The version that it is compared with. */
  other: number;
  /** Those that there are to choose from, newest first. */
  known: Schemas["VersionView"][];
  choose: (other: number) => void;
}

/** Who gets something else at one version than at another, and what. */
export function Moved({ version, other, known, choose, ...place }: Props) {
  const { t } = useTranslation();
  const { number, moment } = useFormat();
  const versions = { from: Math.min(version, other), to: Math.max(version, other) };
  const { organization, project, environment } = place;
  const { read } = useLacking(organization, {
    read: { action: "user.read", resource: `project/${project}:env/${environment}` },
  });
  const asked = effectsQuery(organization, project, environment, versions);
  const effect = useQuery({ ...asked, enabled: read === undefined });
  const others = known.filter((it) => it.version !== version);
  const isKnown = others.some((it) => it.version === other);
  return (
    <section className={classes.part} aria-label={t("past.moved.title")}>
      <h2>{t("past.moved.title")}</h2>
      <div className={moved.choice}>
        <SelectField
          label={t("past.moved.with")}
          value={other}
          onChange={(event) => choose(Number(event.target.value))}
        >
          {!isKnown && (
            <option value={other}>{t("past.version", { version: number(other) })}</option>
          )}
          {others.map((it) => (
            <option key={it.version} value={it.version}>
              {[t("past.version", { version: number(it.version) }), moment(it.at), it.comment]
                .filter(Boolean)
                .join(" · ")}
            </option>
          ))}
        </SelectField>
      </div>
      {read !== undefined ? (
        <p className={classes.quiet}>{read}</p>
      ) : effect.isError ? (
        <Failure error={effect.error} retry={() => void effect.refetch()} />
      ) : !effect.data ? (
        <Waiting rows={2} />
      ) : (
        <Effect of={effect.data} versions={versions} {...place} />
      )}
    </section>
  );
}

function Effect({
  of,
  versions,
  organization,
  project,
  environment,
}: {
  of: Schemas["EnvironmentEffect"];
  versions: { from: number; to: number };
  organization: string;
  project: string;
  environment: string;
}) {
  const { t } = useTranslation();
  const { number } = useFormat();
  // Nobody is looked at where no flag differs.
  if (of.flags.length === 0) {
    const both = { from: number(versions.from), to: number(versions.to) };
    return <p className={classes.quiet}>{t("past.moved.noFlag", both)}</p>;
  }
  if (of.users === 0) {
    return <p className={classes.quiet}>{t("past.moved.nobodyKnown", { environment })}</p>;
  }
  const flags = of.flags.filter((it) => it.moved > 0);
  const words = {
    from: number(versions.from),
    to: number(versions.to),
    users: number(of.users),
    count: of.users,
  };
  return (
    <>
      <p>{t(flags.length > 0 ? "past.moved.some" : "past.moved.nobody", words)}</p>
      {of.sampled && (
        <p className={classes.quiet}>
          {t("past.moved.sampled", { size: number(of.sampled.size), of: number(of.sampled.of) })}
        </p>
      )}
      <ul aria-label={t("past.moved.title")}>
        {flags.map((it) => (
          <li key={it.flag} className={classes.row}>
            <Link
              to="/$organization/$project/flags/$flag"
              params={{ organization, project, flag: it.flag }}
            >
              <code>{it.flag}</code>
            </Link>
            <ul className={moved.moves}>
              {it.moves.map((move) => (
                <li key={`${move.from?.id ?? ""} ${move.to?.id ?? ""}`}>
                  <Move of={move} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {of.flagsLeftOut > 0 && (
        <p className={classes.quiet}>{t("past.moved.leftOut", { count: of.flagsLeftOut })}</p>
      )}
    </>
  );
}

function Move({ of }: { of: Schemas["Move"] }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const name = (it: Schemas["Move"]["from"]) => it?.name ?? it?.value ?? t("effect.codeDefault");
  return t("past.moved.move", {
    count: of.users,
    users: number(of.users),
    from: name(of.from),
    to: name(of.to),
  });
}
