import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { EnvironmentName } from "@/components/environment";
import { useLacking } from "@/components/may";
import { Page } from "@/components/page";
import { Sentence } from "@/components/sentence";
import { Refused } from "@/components/refused";
import { Waiting } from "@/components/states";
import { UserProperties } from "@/components/user-properties";
import { environmentsQuery } from "@/lib/api/queries";
import { deleteUser } from "@/lib/api/user-files";
import { userQuery } from "@/lib/api/users";
import { useTitle } from "@/lib/title";
import { ForgetUser } from "./forget-user";
import { UserFlags } from "./user-flags";
import classes from "./users.module.css";

/** One user of an environment: what they have, and what every flag gives them. */
export function UserPage() {
  const { t } = useTranslation();
  const params = useParams({ from: "/$organization/$project/users/$environment/$user" });
  const { organization, project, environment, user: key } = params;
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"forget" | "delete">();
  const user = useQuery(userQuery(organization, project, environment, key));
  const environments = useQuery(environmentsQuery(organization, project));
  const here = environments.data?.find((it) => it.key === environment);
  useTitle(key, environment);
  const lacking = useLacking(organization, {
    delete: { action: "user.write", resource: `project/${project}:env/${environment}` },
    forget: { action: "user.forget", resource: "organization" },
  });
  const leave = () => void navigate({ to: "/$organization/$project/users/$environment", params });
  if (user.isError)
    return (
      <Refused
        error={user.error}
        retry={() => void user.refetch()}
        needs={{ action: "user.read", resource: `project/${project}:env/${environment}` }}
      />
    );
  if (!user.data) return <Waiting />;
  const { name, properties, types, firstSeen, lastSeen } = user.data;
  return (
    <Page
      wide
      title={<bdi className={classes.anywhere}>{name || key}</bdi>}
      trail={
        <span className={classes.trail}>
          <Link to="/$organization/$project/users/$environment" params={params}>
            {t("users.title")}
          </Link>
          · {here ? <EnvironmentName of={here} /> : environment} ·{" "}
          <Link
            to="/$organization/$project/decisions/$environment"
            params={{ organization, project, environment }}
            search={{ user: key }}
          >
            {t("users.decisions")}
          </Link>
        </span>
      }
      actions={
        <>
          <Button small lacking={lacking.delete} onClick={() => setDialog("delete")}>
            {t("users.delete", { environment })}
          </Button>
          <Button small lacking={lacking.forget} onClick={() => setDialog("forget")}>
            {t("users.forgetThis")}
          </Button>
        </>
      }
    >
      <p className={classes.seen}>
        <code className={classes.anywhere}>
          <bdi>{key}</bdi>
        </code>{" "}
        <Sentence
          text={t("users.seen")}
          parts={{ first: <Ago at={firstSeen} />, last: <Ago at={lastSeen} /> }}
        />
      </p>
      <div className={classes.person}>
        <section aria-labelledby="user-properties">
          <h2 id="user-properties">{t("users.properties")}</h2>
          <UserProperties of={properties} types={types} />
        </section>
        <UserFlags
          organization={organization}
          project={project}
          environment={environment}
          user={key}
        />
      </div>
      {dialog === "forget" && (
        <ForgetUser
          organization={organization}
          user={key}
          close={() => setDialog(undefined)}
          done={leave}
        />
      )}
      {dialog === "delete" && (
        <ConfirmName
          name={key}
          command={t("users.delete", { environment })}
          run={async () => {
            await deleteUser(organization, { project, environment }, key);
            leave();
          }}
          close={() => setDialog(undefined)}
        >
          <p>{t("users.deleteWhat", { environment })}</p>
        </ConfirmName>
      )}
    </Page>
  );
}
