import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { someUsersQuery } from "@/lib/api/why";
import { useSettled } from "@/lib/settled";
import { Suggest } from "./suggest";
import classes from "./user-field.module.css";

interface Props {
  organization: string;
  project: string;
  environment: string;
  label: string;
  /** Who is chosen; empty for nobody. */
  value: string;
  choose: (key: string) => void;
}

/** A user by key: who is known is offered, and whoever is typed is taken. */
export function UserField({ organization, project, environment, label, value, choose }: Props) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  const [used, setUsed] = useState(false);
  if (shown !== value) {
    // Chosen elsewhere: by the way back, or by a link.
    setShown(value);
    setText(value);
  }
  const search = useSettled(text.trim());
  const known = useQuery({
    ...someUsersQuery(organization, project, environment, search),
    enabled: used,
    placeholderData: keepPreviousData,
  });
  const options = (known.data ?? []).map(({ key, name, properties }) => ({
    value: key,
    detail: [name, ...Object.values(properties)].filter(Boolean).slice(0, 3).join(" · "),
  }));

  // Whoever was never seen can be asked for too: that it is so is seen while one types.
  if (search !== "" && !options.some((it) => it.value === search)) {
    options.push({ value: search, detail: t("why.askFor") });
  }

  function take(key: string) {
    setText(key);
    if (key !== "") choose(key);
  }

  return (
    <div className={classes.around} onFocus={() => setUsed(true)}>
      <Suggest
        label={label}
        text={text}
        onText={setText}
        options={options}
        onPick={take}
        onEnter={() => take(text.trim())}
        mono
        placeholder={t("why.userPlaceholder")}
        className={classes.input}
      />
    </div>
  );
}
