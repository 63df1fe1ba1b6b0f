import { useTranslation } from "react-i18next";
import { Ago } from "@/components/ago";
import { Sentence } from "@/components/sentence";
import type { Schemas } from "@/lib/api/client";

/** When somebody was last here. */
export function Seen({ member }: { member: Schemas["MemberView"] }) {
  const { t } = useTranslation();
  if (member.lastSeenAt == null) return t("people.neverSeen");
  return <Sentence text={t("people.seen")} parts={{ ago: <Ago at={member.lastSeenAt} /> }} />;
}
