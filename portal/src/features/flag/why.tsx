import { useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { AsOf } from "@/components/as-of";
import { Button } from "@/components/button";
import { CopyAs } from "@/components/copy-as";
import { UserField } from "@/components/user-field";
import { useShortcuts } from "@/lib/shortcuts";
import { useFlag } from "./use-flag";
import { useWhy } from "./use-why";
import { WhyAnswer } from "./why-answer";
import classes from "./why.module.css";

/** Who gets what of the flag here, and why: a field until somebody is asked for. */
export function Why({ environment }: { environment: string }) {
  const { t } = useTranslation();
  const id = useId();
  const { organization, project, key: flag } = useFlag();
  const why = useWhy(environment);
  const panel = useRef<HTMLElement>(null);
  useShortcuts(() => [
    {
      keys: "w",
      words: t("why.title"),
      run: () => panel.current?.querySelector("input")?.focus(),
    },
  ]);
  const { user, search, ask, at, edited } = why;
  const { properties: given, types, version } = search;
  const { name = "", ...properties } = given ?? {};
  const place = { organization, project, environment };
  const call = {
    path: `/api/v1/projects/${project}/environments/${environment}/evaluate/explain`,
    body: {
      key: user,
      flag,
      ...(given || why.now.data?.user.stored === false ? { name, properties } : {}),
      ...(given && types ? { types } : {}),
      ...(version === undefined ? {} : { version }),
      ...(at === "draft" ? { commands: why.commands } : {}),
    },
  };
  return (
    <section
      ref={panel}
      className={classes.panel}
      data-open={user !== "" || undefined}
      aria-labelledby={id}
    >
      <div className={classes.head}>
        <h2 id={id}>{t("why.title")}</h2>
        <UserField
          {...place}
          label={t("why.user")}
          value={user}
          choose={(key) => ask({ ...(key === user ? search : {}), user: key })}
        />
        {user !== "" && (
          <>
            <AsOf
              {...place}
              flag={flag}
              at={at}
              edited={edited}
              change={(next) =>
                ask({ user, ...(given && { properties: given, types }), ...seen(next) })
              }
            />
            <span className={classes.side}>
              <CopyAs of={{ organization, link: `${location.pathname}${location.search}`, call }} />
              <Button small look="quiet" aria-label={t("action.dismiss")} onClick={() => ask({})}>
                ✕
              </Button>
            </span>
          </>
        )}
      </div>
      {user !== "" && <WhyAnswer environment={environment} why={why} />}
    </section>
  );
}

const seen = (at: "draft" | number | undefined) =>
  at === "draft" ? ({ draft: true } as const) : at === undefined ? {} : { version: at };
