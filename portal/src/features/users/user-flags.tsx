import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { type At, AsOf } from "@/components/as-of";
import { CopyAs } from "@/components/copy-as";
import { Failure, Waiting } from "@/components/states";
import { flagIndexQuery } from "@/lib/api/queries";
import { allFlagsQuery } from "@/lib/api/users";
import { useDraft } from "@/lib/draft/store";
import { useFormat } from "@/lib/format";
import { asked, withUnreleased } from "./asked";
import { UserFlagList } from "./user-flag-list";
import classes from "./users.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  user: string;
}

const AT = "/$organization/$project/users/$environment/$user";

/** What every flag gives somebody, and by what; now, after one's edits, or as it was. */
export function UserFlags({ organization, project, environment, user }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const search = useSearch({ from: AT });
  const navigate = useNavigate();
  const draft = useDraft();
  const commands = useMemo(
    () => draft.commands.filter((it) => (it.project ?? project) === project),
    [draft, project],
  );
  const edited = commands.length > 0;
  const at: At = search.version ?? (search.draft && edited ? "draft" : undefined);
  const question = { key: user, ...asked(at, commands) };
  const answers = useInfiniteQuery(allFlagsQuery(organization, project, environment, question));
  const index = useQuery(flagIndexQuery(organization, project, [environment]));
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = answers;
  // All of them: what is looked for may be on any page.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  const [text, setText] = useState("");
  const names = useMemo(
    () => new Map((index.data?.items ?? []).map((it) => [it.key, it.name])),
    [index.data],
  );
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = useMemo(() => {
    const found = (answers.data?.pages ?? []).flatMap((page) => page.items);
    // Which flags there were then, nobody says; and what is not there yet may come.
    const whole = typeof at !== "number" && !hasNextPage && answers.data !== undefined;
    return whole ? withUnreleased(found, index.data?.items) : found;
  }, [answers.data, index.data, at, hasNextPage]);
  const items = all.filter(({ flag, variation, reason }) => {
    const name = names.get(flag) ?? "";
    const by = `${variation?.name ?? ""} ${variation?.value ?? ""} ${reason.params["name"] ?? ""}`;
    const all = `${flag} ${name} ${by} ${reason.code}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });

  return (
    <section aria-labelledby="user-flags">
      <h2 id="user-flags">{t("users.flags")}</h2>
      <div className={classes.flagsHead}>
        <input
          type="search"
          className={classes.search}
          aria-label={t("users.searchFlags")}
          placeholder={t("users.searchFlags")}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <AsOf
          organization={organization}
          project={project}
          environment={environment}
          at={at}
          edited={edited}
          change={(next) =>
            void navigate({
              to: AT,
              params: { organization, project, environment, user },
              search:
                next === "draft" ? { draft: true } : next === undefined ? {} : { version: next },
              replace: true,
            })
          }
        />
        {answers.data && <span className={classes.quiet}>{number(items.length)}</span>}
        <span className={classes.side}>
          <CopyAs
            of={{
              organization,
              link: `${location.pathname}${location.search}`,
              call: {
                path: `/api/v1/projects/${project}/environments/${environment}/evaluate`,
                body: { ...question, limit: 500 },
              },
            }}
          />
        </span>
      </div>
      {answers.isError && <Failure error={answers.error} retry={() => void answers.refetch()} />}
      {answers.isPending && <Waiting />}
      {answers.data && items.length === 0 && (
        <p className={classes.quiet}>{t(text === "" ? "users.noFlags" : "flags.noMatch")}</p>
      )}
      <UserFlagList
        organization={organization}
        project={project}
        environment={environment}
        user={user}
        items={items}
        names={names}
        version={search.version}
      />
    </section>
  );
}
