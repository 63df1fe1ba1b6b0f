import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Sentence } from "@/components/sentence";
import { NeededVariation } from "@/components/why-prerequisite";
import type { UsersPlace } from "@/lib/api/known";
import { prerequisitesQuery } from "@/lib/api/flag";
import classes from "./prerequisites.module.css";

const useGraph = ({ organization, project, environment }: UsersPlace) =>
  useQuery(prerequisitesQuery(organization, project, environment)).data?.items ?? [];

interface TreeProps {
  place: UsersPlace;
  flag: string;
  /** The flags on the way here: what leads back to one of them is not followed. */
  above: string[];
}

/** What a flag that is needed itself needs, as the server has it. */
export function NeededTree({ place, flag, above }: TreeProps) {
  const { t } = useTranslation();
  const graph = useGraph(place);
  const needs = graph.find((it) => it.flag === flag)?.prerequisites ?? [];
  if (needs.length === 0) return null;
  return (
    <div className={classes.below}>
      <span className={classes.quiet}>{t("flag.itselfNeeds")}</span>
      <ul>
        {needs.map((it) => (
          <li key={it.flag}>
            <Sentence
              text={t("flag.needsServing")}
              parts={{
                flag: <FlagLink place={place} flag={it.flag} name={it.flag} />,
                variation: <NeededVariation flag={it.flag} variation={it.variation} />,
              }}
            />
            {!above.includes(it.flag) && (
              <NeededTree place={place} flag={it.flag} above={[...above, it.flag]} />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The flags that need this one here. */
export function NeededBy({
  place,
  flag,
  hidden,
}: {
  place: UsersPlace;
  flag: string;
  hidden: number;
}) {
  const { t } = useTranslation();
  const graph = useGraph(place);
  const needing = graph.flatMap(({ flag: by, name, prerequisites }) =>
    prerequisites
      .filter((it) => it.flag === flag)
      .map(({ variation }) => ({ by, name, variation })),
  );
  if (needing.length === 0 && hidden === 0) return null;
  return (
    <div className={classes.needed}>
      <h3>{t("flag.neededBy")}</h3>
      <ul>
        {needing.map(({ by, name, variation }) => (
          <li key={by}>
            <Sentence
              text={t("flag.neededFor")}
              parts={{
                flag: <FlagLink place={place} flag={by} name={name} />,
                variation: <NeededVariation flag={flag} variation={variation} />,
              }}
            />
          </li>
        ))}
        {hidden > 0 && (
          <li className={classes.quiet}>{t("flag.neededByHidden", { count: hidden })}</li>
        )}
      </ul>
    </div>
  );
}

function FlagLink({ place, flag, name }: { place: UsersPlace; flag: string; name: string }) {
  const { organization, project, environment } = place;
  return (
    <Link
      to="/$organization/$project/flags/$flag/$environment"
      params={{ organization, project, flag, environment }}
    >
      <bdi className={classes.name}>{name}</bdi>
    </Link>
  );
}
