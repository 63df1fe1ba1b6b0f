import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Against } from "@/components/against";
import { Button } from "@/components/button";
import { AreaField, TextField } from "@/components/field";
import type { Flag, WholeFlag } from "@/lib/model/flag";
import { pasted } from "@/lib/model/operators";
import { useShortcuts } from "@/lib/shortcuts";
import { toast } from "@/lib/toasts";
import classes from "./flag.module.css";
import { Life } from "./life";
import { Mark, useTheirs } from "./theirs";
import { editFlag } from "./use-flag";

/** What a flag is called, and what for. */
export function Details({ server, flag }: { server: WholeFlag; flag: Flag }) {
  const { t } = useTranslation();
  const part = useRef<HTMLElement>(null);
  const [editing, setEditing] = useState(false);
  const renamed = useTheirs("metadata");
  const archived = useTheirs("life");
  const theirs = archived ?? renamed;
  useShortcuts(() => [{ keys: "e", words: t("flag.keys.edit"), run: () => setEditing(!editing) }]);
  async function copy() {
    await navigator.clipboard.writeText(flag.key);
    toast(t("flag.copied", { key: flag.key }));
  }
  return (
    <header ref={part} className={classes.details}>
      <Against
        of={{ kind: "flag", key: flag.key, scope: server.project, area: "metadata" }}
        part={part}
        open={() => setEditing(true)}
      />
      <div className={classes.titleLine}>
        <h1>{flag.name}</h1>
        <button type="button" className={classes.copy} onClick={() => void copy()}>
          <code>{flag.key}</code>
          <span className="hidden">{t("flag.copy")}</span>
        </button>
        <span className={classes.quiet}>{t(`flags.types.${flag.type}`)}</span>
        {flag.archived && <strong className={classes.archived}>{t("flag.isArchived")}</strong>}
        {theirs && <Mark of={theirs} />}
        <span className={classes.actions}>
          <Button small aria-expanded={editing} onClick={() => setEditing(!editing)}>
            {t("flag.edit")}
          </Button>
          <Life server={server} archived={flag.archived} />
        </span>
      </div>
      {editing ? (
        <Form server={server} flag={flag} close={() => setEditing(false)} />
      ) : (
        <p className={classes.quiet}>
          {flag.description && <span>{flag.description}</span>}
          {flag.tags.map((tag) => (
            <span key={tag} className={classes.tag}>
              {tag}
            </span>
          ))}
        </p>
      )}
    </header>
  );
}

function Form({ server, flag, close }: { server: WholeFlag; flag: Flag; close: () => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState(flag.name);
  const [description, setDescription] = useState(flag.description);
  const [tags, setTags] = useState(flag.tags.join(", "));
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        editFlag(server, (it) => ({ ...it, name, description, tags: pasted(tags) }));
        close();
      }}
    >
      <TextField
        label={t("create.name")}
        required
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <AreaField
        label={t("create.description")}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <TextField
        label={t("create.tags")}
        help={t("create.tagsHelp")}
        value={tags}
        onChange={(event) => setTags(event.target.value)}
      />
      <div className={classes.actions}>
        <Button type="submit" look="primary">
          {t("quick.toReview")}
        </Button>
        <Button onClick={close}>{t("action.cancel")}</Button>
      </div>
    </form>
  );
}
