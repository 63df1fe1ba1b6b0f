import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TypedChips } from "@/components/typed-chips";
import { KeyList } from "@/components/key-list";
import { type UsersPlace, knownUsersQuery } from "@/lib/api/known";
import { useSettled } from "@/lib/settled";
import classes from "./targets.module.css";

interface Props {
  place: UsersPlace;
  label: string;
  file: string;
  keys: string[];
  change: (keys: string[]) => void;
}

/** As many as are seen at a glance; more are a list with a search. */
const FEW = 12;

/** Users by their keys: a few as chips, many as a list. */
export function TargetKeys({ place, label, file, keys, change }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const users = useQuery(knownUsersQuery(place, useSettled(typed)));
  // Who took to the list stays there: it does not change its shape under the hand.
  const [listed, setListed] = useState(keys.length > FEW);
  if (listed || keys.length > FEW) {
    if (!listed) setListed(true);
    return <KeyList label={label} keys={keys} change={change} file={file} place={place} />;
  }
  return (
    <div className={classes.few}>
      <TypedChips
        label={label}
        placeholder={t("flag.targetsPlaceholder")}
        mono
        values={keys}
        change={change}
        typed={setTyped}
        offered={(users.data ?? []).map((it) => ({ value: it.key, detail: it.name }))}
      />
      <Button small look="quiet" onClick={() => setListed(true)}>
        {t("flag.targetsAsList")}
      </Button>
    </div>
  );
}
