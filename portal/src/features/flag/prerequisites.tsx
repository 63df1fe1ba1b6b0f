import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Sentence } from "@/components/sentence";
import { NeededVariation } from "@/components/why-prerequisite";
import type { UsersPlace } from "@/lib/api/known";
import { flagQuery } from "@/lib/api/queries";
import { type Prerequisite, type Targeting, wholeFlag } from "@/lib/model/flag";
import { AddPrerequisite } from "./add-prerequisite";
import { NeededBy, NeededTree } from "./needed";
import classes from "./prerequisites.module.css";
import { VariationSelect } from "./variation-select";

interface Props {
  place: UsersPlace;
  flag: string;
  targeting: Targeting;
  /** In how many places it is needed that one may not see. */
  hidden: number;
  edit: (change: (it: Targeting) => Targeting) => void;
}

/** What other flags have to serve; and which flags need this one. */
export function Prerequisites({ place, flag, targeting, hidden, edit }: Props) {
  const { t } = useTranslation();
  const { prerequisites } = targeting;
  const set = (change: (of: Prerequisite[]) => Prerequisite[]) =>
    edit((it) => ({ ...it, prerequisites: change(it.prerequisites) }));
  return (
    <>
      {prerequisites.length === 0 && <p className={classes.none}>{t("flag.noPrerequisites")}</p>}
      {prerequisites.length > 0 && (
        <ul className={classes.list}>
          {prerequisites.map((it) => (
            <li key={it.flag}>
              <Line
                place={place}
                of={it}
                change={(variation) =>
                  set((all) =>
                    all.map((old) => (old.flag === it.flag ? { ...old, variation } : old)),
                  )
                }
                remove={() => set((all) => all.filter((old) => old.flag !== it.flag))}
              />
              <NeededTree place={place} flag={it.flag} above={[flag, it.flag]} />
            </li>
          ))}
        </ul>
      )}
      <AddPrerequisite
        place={place}
        without={[flag, ...prerequisites.map((it) => it.flag)]}
        add={(it) => set((all) => [...all, it])}
      />
      <NeededBy place={place} flag={flag} hidden={hidden} />
    </>
  );
}

interface LineProps {
  place: UsersPlace;
  of: Prerequisite;
  change: (variation: string) => void;
  remove: () => void;
}

function Line({ place, of, change, remove }: LineProps) {
  const { t } = useTranslation();
  const { organization, project, environment } = place;
  const { data } = useQuery({ ...flagQuery(organization, project, of.flag), retry: false });
  const name = data?.name ?? of.flag;
  const needed = data && wholeFlag(project, data).flag;
  const known = needed?.variations.some((it) => it.id === of.variation);
  const params = { organization, project, flag: of.flag, environment };
  return (
    <div className={classes.line}>
      <Sentence
        text={t("flag.needsServing")}
        parts={{
          flag: (
            <Link to="/$organization/$project/flags/$flag/$environment" params={params}>
              <bdi className={classes.name}>{name}</bdi>
            </Link>
          ),
          variation:
            needed && known ? (
              <VariationSelect
                flag={needed}
                label={t("flag.neededVariation", { flag: name })}
                value={of.variation}
                change={change}
              />
            ) : (
              <NeededVariation flag={of.flag} variation={of.variation} />
            ),
        }}
      />
      <Button
        small
        look="quiet"
        aria-label={t("flag.removePrerequisite", { flag: name })}
        onClick={remove}
      >
        ✕
      </Button>
    </div>
  );
}
