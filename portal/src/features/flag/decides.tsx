import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import classes from "./rules.module.css";
import type { Audience } from "./use-audience";

interface Props {
  audience: Audience;
  /** How many of the users it decides for. */
  users: number | undefined;
}

/** How many of the known users a part decides for. */
export function Decides({ audience, users }: Props) {
  const { t } = useTranslation();
  const { number } = useFormat();
  if (!audience || users === undefined || audience.users === 0) return null;
  const { sampled } = audience;
  const times = sampled ? sampled.of / Math.max(1, audience.users) : 1;
  const of = Math.round(users * times);
  return (
    <span className={classes.decides} data-none={users === 0 || undefined}>
      {t(sampled ? "flag.decidesAbout" : "flag.decides", {
        count: of,
        users: number(of),
        whole: number(sampled?.of ?? audience.users),
      })}
    </span>
  );
}
