import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type UsersPlace, knownUsersQuery } from "@/lib/api/known";
import { useSettled } from "@/lib/settled";
import { Button } from "./button";
import classes from "./key-list.module.css";

interface Props {
  text: string;
  /** Who is on the list. */
  known: readonly string[];
  place: UsersPlace | undefined;
  lacking: string | undefined;
  add: (key: string) => void;
}

/** What was typed, and users who were seen there and begin like it: to be put on the list. */
export function KeyOffers({ text, known, place, lacking, add }: Props) {
  const { t } = useTranslation();
  const settled = useSettled(text);
  const users = useQuery(knownUsersQuery(place, settled));
  if (text === "") return null;
  const there = new Set(known);
  const offered = (users.data ?? []).filter((it) => it.key !== text && !there.has(it.key));
  const exact = users.data?.find((it) => it.key === text);
  return (
    <ul className={classes.offers}>
      {!there.has(text) && (
        <li>
          <span className={classes.cut}>
            <code>{text}</code> {exact?.name && <span className={classes.name}>{exact.name}</span>}
          </span>
          <Button small lacking={lacking} title="↵" onClick={() => add(text)}>
            {t("keys.add", { key: text })}
          </Button>
        </li>
      )}
      {offered.map((it) => (
        <li key={it.key}>
          <span className={classes.cut}>
            <code>{it.key}</code> {it.name && <span className={classes.name}>{it.name}</span>}
          </span>
          <Button small lacking={lacking} onClick={() => add(it.key)}>
            {t("keys.add", { key: it.key })}
          </Button>
        </li>
      ))}
    </ul>
  );
}
