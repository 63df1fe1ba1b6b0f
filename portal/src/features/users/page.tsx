import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, lazy, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useLacking } from "@/components/may";
import { Refused } from "@/components/refused";
import { Empty, Waiting } from "@/components/states";
import { propertiesQuery } from "@/lib/api/queries";
import { usersQuery } from "@/lib/api/users";
import { useFormat } from "@/lib/format";
import { useSettled } from "@/lib/settled";
import { useTitle } from "@/lib/title";
import { NobodyYet } from "./empty";
import { UsersFrame } from "./frame";
import { UserList } from "./list";
import { UserMenu } from "./menu";
import classes from "./users.module.css";

const Upload = lazy(() => import("./upload").then((it) => ({ default: it.Upload })));
const Forget = lazy(() => import("./forget").then((it) => ({ default: it.ForgetPanel })));

const AT = "/$organization/$project/users/$environment";

/** The users that programs asked for in an environment. */
export function UsersPage() {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { organization, project, environment } = useParams({ from: AT });
  const search = useSearch({ from: AT });
  const navigate = useNavigate();
  useTitle(t("users.title"), environment);
  const [text, setText] = useState(search.q ?? "");
  const q = useSettled(text.trim());
  const { anywhere = false } = search;
  const users = useInfiniteQuery({
    ...usersQuery(organization, project, environment, { q, anywhere }),
    placeholderData: keepPreviousData,
  });
  const seen = useQuery(propertiesQuery(organization, project, environment));
  const lacking = useLacking(organization, {
    write: { action: "user.write", resource: `project/${project}:env/${environment}` },
  });
  const items = users.data?.pages.flatMap((page) => page.items) ?? [];
  const go = (next: typeof search) =>
    void navigate({
      to: AT,
      params: { organization, project, environment },
      search: next,
      replace: true,
    });
  const close = () => {
    const { upload: _, forget: __, ...rest } = search;
    go(rest);
  };
  useEffect(() => {
    if (q === (search.q ?? "")) return;
    const { q: _, ...rest } = search;
    void navigate({
      to: AT,
      params: { organization, project, environment },
      search: q === "" ? rest : { ...rest, q },
      replace: true,
    });
  }, [q, search, navigate, organization, project, environment]);

  const count = seen.data?.sampled?.of ?? seen.data?.users;
  const none = users.isSuccess && !users.isPlaceholderData && items.length === 0;
  const nobody = none && q === "" && !users.hasNextPage;
  return (
    <UsersFrame
      organization={organization}
      project={project}
      environment={environment}
      actions={
        <>
          <Button lacking={lacking.write} onClick={() => go({ ...search, upload: true })}>
            {t("users.upload")}
          </Button>
          <UserMenu
            organization={organization}
            project={project}
            environment={environment}
            forget={() => go({ ...search, forget: true })}
          />
        </>
      }
    >
      {users.isError && (
        <Refused
          error={users.error}
          retry={() => void users.refetch()}
          needs={{ action: "user.read", resource: `project/${project}:env/${environment}` }}
        />
      )}
      {users.isPending && <Waiting rows={12} />}
      {nobody && <NobodyYet project={project} environment={environment} />}
      {users.data && !nobody && (
        <div className={classes.filters}>
          <input
            type="search"
            className={classes.search}
            aria-label={t("users.search")}
            placeholder={t(anywhere ? "users.searchAnywhere" : "users.search")}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <label className={classes.check}>
            <input
              type="checkbox"
              checked={anywhere}
              onChange={() => {
                const { anywhere: was, ...rest } = search;
                go(was ? rest : { ...rest, anywhere: true });
              }}
            />
            {t("users.anywhere")}
          </label>
          {count !== undefined && (
            <span className={classes.count}>
              {t("users.known", { count, users: number(count) })}
            </span>
          )}
        </div>
      )}
      {none && !nobody && !users.hasNextPage && (
        <Empty title={t("users.noMatch")}>
          <p>{t("users.noMatchHelp", { environment })}</p>
        </Empty>
      )}
      {users.data && (items.length > 0 || (users.hasNextPage && !nobody)) && (
        <UserList
          organization={organization}
          project={project}
          environment={environment}
          items={items}
          more={users.hasNextPage ? () => void users.fetchNextPage() : undefined}
          busy={users.isFetchingNextPage}
        />
      )}
      <Suspense>
        {search.upload && (
          <Upload
            organization={organization}
            project={project}
            environment={environment}
            close={close}
          />
        )}
        {search.forget && <Forget organization={organization} close={close} />}
      </Suspense>
    </UsersFrame>
  );
}
