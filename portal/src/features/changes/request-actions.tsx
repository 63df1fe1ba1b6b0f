import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useApplied } from "@/components/applied";
import { Button } from "@/components/button";
import { AreaField } from "@/components/field";
import { Wrong } from "@/components/states";
import { type Schemas, api, dataOf } from "@/lib/api/client";
import { meQuery, requestQuery } from "@/lib/api/queries";
import classes from "./changes.module.css";

interface Props {
  organization: string;
  request: Schemas["RequestDetail"];
}

/** What can be done with a request now. */
export function RequestActions({ organization, request }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const me = useQuery(meQuery);
  const applied = useApplied(organization);
  const [text, setText] = useState("");
  const { id, revision, state } = request;
  const client = api(organization);
  const params = { path: { id } };
  const { queryKey } = requestQuery(organization, id);

  const act = useMutation({
    mutationFn: async (
      what: "approve" | "decline" | "comment" | "withdraw" | "rebase" | "apply",
    ) => {
      if (what === "comment") {
        const body = { text };
        return client.POST("/api/v1/requests/{id}/comments", { params, body });
      }
      if (what === "withdraw") return client.POST("/api/v1/requests/{id}/withdraw", { params });
      if (what === "rebase") return client.POST("/api/v1/requests/{id}/rebase", { params });
      if (what === "apply") {
        const body = { revision };
        applied(dataOf(await client.POST("/api/v1/requests/{id}/apply", { params, body })));
        return undefined;
      }
      const body = { revision, text, verdict: what };
      return client.POST("/api/v1/requests/{id}/reviews", { params, body });
    },
    onSuccess: async () => {
      setText("");
      await queries.invalidateQueries({ queryKey });
      await queries.invalidateQueries({ queryKey: ["requests", organization] });
    },
  });
  if (state !== "waiting" && state !== "approved" && state !== "declined") return null;
  const own = request.revisions.some((it) => it.author === me.data?.email);
  const conflicts = (request.now?.conflicts.length ?? 0) > 0;
  const button = (what: Parameters<typeof act.mutate>[0], look?: "primary" | "danger") => (
    <Button
      key={what}
      {...(look ? { look } : {})}
      busy={act.isPending}
      onClick={() => act.mutate(what)}
    >
      {t(`request.${what}`)}
    </Button>
  );
  return (
    <section className={classes.part} aria-label={t("request.actions")}>
      <AreaField
        label={t("request.text")}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Wrong error={act.error} />
      <div className={classes.buttons}>
        {!own && state !== "approved" && button("approve", "primary")}
        {!own && state !== "declined" && button("decline")}
        {state === "approved" && !conflicts && button("apply", "primary")}
        {conflicts && button("rebase")}
        {text.trim() !== "" && button("comment")}
        {own && button("withdraw")}
      </div>
    </section>
  );
}
