import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "@/components/refused";
import { Empty, Waiting } from "@/components/states";
import { Seen } from "./seen";
import { policyName } from "@/lib/access";
import type { Schemas } from "@/lib/api/client";
import { groupsQuery, membersQuery, policiesQuery } from "@/lib/api/people";
import { useFormat } from "@/lib/format";
import classes from "./members.module.css";

interface Props {
  organization: string;
  search: string;
}

/** The members, however many there are: what is in view is drawn, what comes next is asked for. */
export function MemberList({ organization, search }: Props) {
  const { t } = useTranslation();
  const members = useInfiniteQuery(membersQuery(organization, search));
  const list = useRef<HTMLDivElement>(null);
  const items = members.data?.pages.flatMap((it) => it.items) ?? [];
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => document.querySelector("#content"),
    estimateSize: () => 56,
    scrollMargin: list.current?.offsetTop ?? 0,
    overscan: 8,
  });
  const drawn = rows.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = members;
  useEffect(() => {
    const near = last >= items.length - 10;
    if (near && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [last, items.length, hasNextPage, isFetchingNextPage, fetchNextPage]);

  if (members.isError) {
    const needs = { action: "member.read", resource: "member/*" };
    return <Refused error={members.error} retry={() => void members.refetch()} needs={needs} />;
  }
  if (!members.data) return <Waiting />;
  if (items.length === 0) return <Empty title={t("people.noMatch")} />;
  return (
    <div role="table" aria-label={t("people.members")} aria-rowcount={items.length} ref={list}>
      <div style={{ height: rows.getTotalSize(), position: "relative" }} role="rowgroup">
        {drawn.map(({ index, start, size }) => {
          const member = items[index];
          const top = start - rows.options.scrollMargin;
          return (
            member && (
              <Row
                key={member.id}
                organization={organization}
                member={member}
                row={index}
                top={top}
                height={size}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  organization: string;
  member: Schemas["MemberView"];
  row: number;
  top: number;
  height: number;
}

function Row({ organization, member, row, top, height }: RowProps) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const groups = useQuery(groupsQuery(organization));
  const policies = useQuery(policiesQuery(organization));
  const has = [
    ...member.groups.map((key) => groups.data?.find((it) => it.key === key)?.name ?? key),
    ...member.policies.map((key) =>
      policyName(t, key, policies.data?.find((it) => it.key === key)?.name),
    ),
  ];
  return (
    <div className={classes.row} role="row" aria-rowindex={row + 1} style={{ top, height }}>
      <span role="rowheader" className={classes.who}>
        <Link
          to="/$organization/settings/members/$member"
          params={{ organization, member: member.id }}
        >
          {member.name}
        </Link>
        {member.name !== member.email && <small>{member.email}</small>}
      </span>
      <span role="cell" className={classes.has}>
        {has.length > 0 ? list(has) : t("people.nothing")}
      </span>
      <span role="cell" className={classes.seen}>
        <Seen member={member} />
      </span>
      <span role="cell" className={classes.factor}>
        {member.secondFactor ? t("people.twoFactors") : t("people.passwordOnly")}
      </span>
    </div>
  );
}
