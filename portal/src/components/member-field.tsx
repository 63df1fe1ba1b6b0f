import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { someMembersQuery } from "@/lib/api/people";
import { useSettled } from "@/lib/settled";
import { Combobox } from "./combobox";
import classes from "./member-field.module.css";

type Member = Schemas["MemberView"];

interface Props {
  organization: string;
  label: string;
  chosen?: Member | undefined;
  choose: (member: Member) => void;
  /** Those who are not offered. */
  without?: (member: Member) => boolean;
}

/** A member, found among however many by name or e-mail. */
export function MemberField({ organization, label, chosen, choose, without }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const [text, setText] = useState("");
  const search = useSettled(text.trim());
  const found = useQuery({
    ...someMembersQuery(organization, search),
    placeholderData: (before) => before,
  });
  const others = (found.data ?? []).filter((it) => it.id !== chosen?.id && !without?.(it));
  const members = chosen ? [chosen, ...others] : others;
  return (
    <div className={classes.field}>
      <span id={id} aria-hidden>
        {label}
      </span>
      <Combobox
        label={label}
        className={classes.input}
        placeholder={t("people.find")}
        strict
        value={chosen?.email ?? ""}
        // Addresses are what tells people of one name apart.
        options={members.map(({ name, email }) => ({
          value: email,
          ...(name === email ? {} : { label: name, detail: email }),
        }))}
        typed={setText}
        change={(email) => {
          const member = members.find((it) => it.email === email);
          if (member) choose(member);
        }}
      />
    </div>
  );
}
