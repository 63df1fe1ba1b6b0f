import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Failure } from "@/components/states";
import { settingsQuery } from "@/lib/api/queries";
import { useShortcuts } from "@/lib/shortcuts";
import { useTitle } from "@/lib/title";
import { Body } from "./body";
import classes from "./flags.module.css";
import { Head } from "./head";
import { Panels } from "./panels";
import { FIRST_FLAG, type Parts } from "./parts";
import { useList } from "./use-list";

/** The flags of a project: Home. */
export function FlagsPage({ begin: Begin }: { begin: ComponentType<Parts> }) {
  const { t } = useTranslation();
  const { organization, project } = useParams({ from: "/$organization/$project/flags" });
  const search = useSearch({ from: "/$organization/$project/flags" });
  const navigate = useNavigate({ from: "/$organization/$project/flags" });
  const settings = useQuery(settingsQuery(organization)).data;
  const list = useList(organization, project, search);
  const { index, items, environments, shown, filter, change } = list;
  useTitle(t("shell.flags"), project);
  const create = () => void navigate({ search: (now) => ({ ...now, create: true }) });
  useShortcuts([{ keys: "c", words: t("flags.new"), run: create }]);

  if (list.error) return <Failure error={list.error} retry={list.retry} />;
  const createFlag = (look: "primary" | "plain") => (
    <Button look={look} onClick={create} title="c">
      {t("flags.new")}
    </Button>
  );
  const home = (
    <div className={classes.page}>
      <Head
        organization={organization}
        project={project}
        environments={environments}
        shown={shown}
        count={index && items.length}
        sort={filter.sort ?? "name"}
        setSort={(sort) => change({ ...filter, sort })}
      >
        {createFlag("primary")}
      </Head>
      <Body
        organization={organization}
        project={project}
        list={list}
        settings={settings}
        create={create}
      />
    </div>
  );
  const begins = index?.items.every((it) => it.key === FIRST_FLAG) === true;
  return (
    <>
      {begins ? (
        <Begin home={home} actions={createFlag("plain")} any={index.items.length > 0} />
      ) : (
        home
      )}
      <Panels
        organization={organization}
        project={project}
        index={index}
        environments={environments}
      />
    </>
  );
}
