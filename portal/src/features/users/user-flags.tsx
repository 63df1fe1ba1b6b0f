import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type At, AsOf } from "@/components/as-of";
import { CopyAs } from "@/components/copy-as";
import { Failure, Waiting } from "@/components/states";
import { flagIndexQuery } from "@/lib/api/queries";
import { allFlagsQuery } from "@/lib/api/users";
import { useDraft } from "@/lib/draft/store";
import { useFormat } from "@/lib/format";
import { asked, withUnreleased } from "./asked";
import { UserFlag } from "./user-flag";
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
  const known = useMemo(
    () => new Map((index.data?.items ?? []).map((it) => [it.key, it])),
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
    const name = known.get(flag)?.name ?? "";
    const by = `${variation?.name ?? ""} ${variation?.value ?? ""} ${reason.params["name"] ?? ""}`;
    const all = `${flag} ${name} ${by} ${reason.code}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });

  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (matchMedia("(max-width: 760px)").matches ? 68 : 40),
    overscan: 8,
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
      <div
        ref={scroller}
        className={classes.flags}
        // It scrolls by the keys, too.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="group"
        aria-labelledby="user-flags"
      >
        <ul style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index: place, start, size }) => {
            const item = items[place];
            return (
              item && (
                <li
                  key={item.flag}
                  className={classes.flagRow}
                  style={{ transform: `translateY(${start}px)`, height: size }}
                >
                  <UserFlag answer={item} name={known.get(item.flag)?.name} />
                  <Link
                    to="/$organization/$project/flags/$flag/$environment/why"
                    params={{ organization, project, environment, flag: item.flag }}
                    search={{ user, ...(typeof at === "number" ? { version: at } : {}) }}
                    aria-label={t("users.whyOf", { flag: item.flag })}
                  >
                    {t("users.why")}
                  </Link>
                </li>
              )
            );
          })}
        </ul>
      </div>
    </section>
  );
}
