import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { PropertyRows } from "@/components/property-rows";
import { UserProperties } from "@/components/user-properties";
import type { Schemas } from "@/lib/api/client";
import { someUsersQuery } from "@/lib/api/why";
import { propertiesQuery } from "@/lib/api/queries";
import { useFormat } from "@/lib/format";
import { useFlag } from "./use-flag";
import type { Why } from "./use-why";
import classes from "./why.module.css";

interface Props {
  environment: string;
  why: Why;
  user: Schemas["EvaluatedUser"];
  /** When the version that was asked for was made. */
  at: string | null | undefined;
}

/** Whom it was asked for: with what is known of them, or with properties to try. */
export function WhyUser({ environment, why, user, at }: Props) {
  const { t } = useTranslation();
  const { organization, project } = useFlag();
  const { search, ask } = why;
  const [trying, setTrying] = useState(search.properties !== undefined);
  const seen = useQuery(propertiesQuery(organization, project, environment));
  const { moment } = useFormat();
  const since = user.propertiesSince;
  // Who is asked about as they were may have been another then.
  const later = why.version !== undefined && since != null && (at == null || since > at);
  const stranger = !user.stored && search.properties === undefined;
  const has: Record<string, string> = {
    ...(user.name === "" ? {} : { name: user.name }),
    ...user.properties,
  };

  function known() {
    const { properties: _, types: __, ...rest } = search;
    setTrying(false);
    ask(rest);
  }

  return (
    <section>
      <h3>
        <bdi className={classes.key}>{user.key}</bdi>
      </h3>
      {stranger && <Stranger environment={environment} why={why} />}
      {search.properties !== undefined && <p className={classes.quiet}>{t("why.given")}</p>}
      {later && <p className={classes.quiet}>{t("why.sinceThen", { at: moment(since) })}</p>}
      {trying ? (
        <PropertyRows
          values={search.properties ?? has}
          types={(search.properties ? search.types : user.types) ?? {}}
          names={(seen.data?.items ?? []).map((it) => it.name)}
          change={(properties, types) => ask({ ...search, properties, types })}
        />
      ) : (
        <UserProperties of={has} types={user.types} />
      )}
      <div className={classes.actions}>
        {trying ? (
          <Button small look="quiet" onClick={known}>
            {t("why.asKnown")}
          </Button>
        ) : (
          <Button small look="quiet" onClick={() => setTrying(true)}>
            {t("why.tryProperties")}
          </Button>
        )}
        {user.stored && (
          <Link
            to="/$organization/$project/users/$environment/$user"
            params={{ organization, project, environment, user: user.key }}
          >
            {t("why.allFlags")}
          </Link>
        )}
      </div>
    </section>
  );
}

/** Nobody of this key was seen: perhaps it was a name, or the beginning of a key. */
function Stranger({ environment, why }: Pick<Props, "environment" | "why">) {
  const { t } = useTranslation();
  const { organization, project } = useFlag();
  const near = useQuery(someUsersQuery(organization, project, environment, why.user));
  return (
    <>
      <p className={classes.quiet}>{t("why.stranger", { environment })}</p>
      {(near.data ?? []).slice(0, 3).map((it) => (
        <Button key={it.key} small onClick={() => why.ask({ ...why.search, user: it.key })}>
          {it.name === "" ? it.key : t("why.near", { key: it.key, name: it.name })}
        </Button>
      ))}
    </>
  );
}
