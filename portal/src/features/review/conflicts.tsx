import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import { nameOf, undecided } from "@/lib/draft/conflict";
import type { Draft } from "@/lib/draft/draft";
import { Conflict } from "./conflict";
import classes from "./review.module.css";

interface Props {
  organization: string;
  draft: Draft;
  conflicts: Schemas["Collision"][];
  close: () => void;
  /** What was refused is not said any more once it is decided. */
  resolved: () => void;
}

/** Somebody changed the same parts meanwhile. */
export function Conflicts({ organization, draft, conflicts, close, resolved }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const which = conflicts.map(nameOf).join(" ");
  useEffect(() => {
    // What they made is what the pages show now; and what is in the way may be known only since
    // it was refused.
    for (const key of ["flag", "segment", "review"]) {
      void queries.invalidateQueries({ queryKey: [key, organization] });
    }
  }, [queries, organization, which]);
  return (
    <div className={classes.conflicts} role="alert">
      <h2>{t("conflict.title")}</h2>
      {undecided(draft, conflicts).map((it) => (
        <Conflict
          key={nameOf(it)}
          organization={organization}
          draft={draft}
          of={it}
          all={conflicts}
          close={close}
          resolved={resolved}
        />
      ))}
    </div>
  );
}
