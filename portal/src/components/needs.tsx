import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import { useWhom } from "./whom";

/** What environments ask before it is applied there, and what of the caller's rights is missing. */
export function Needs({ needs }: { needs: Schemas["EnvironmentNeeds"][] }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  return needs.map(({ environment, missing, comment, reviewers }) => (
    <p key={environment}>
      {missing > 0 &&
        t(reviewers.groups?.length ? "needs.approvalsOf" : "needs.approvals", {
          environment,
          count: missing,
          groups: list(reviewers.groups ?? []),
        })}{" "}
      {comment && t("needs.comment", { environment })}
    </p>
  ));
}

/** Permissions that are missing, by name, and who grants them. */
export function Lacking({ permissions }: { permissions: Schemas["PermissionView"][] }) {
  const { organization = "" } = useParams({ strict: false });
  return useWhom(organization, permissions).map((text) => <p key={text}>{text}</p>);
}
