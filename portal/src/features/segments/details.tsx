import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { AreaField, TextField } from "@/components/field";
import { pasted } from "@/lib/model/operators";
import type { Segment, WholeSegment } from "@/lib/model/segment";
import classes from "./segments.module.css";
import { editSegment } from "./use-segment";

interface Props {
  server: WholeSegment;
  view: Segment;
  close: () => void;
}

/** What it is called, and what for. */
export function Details({ server, view, close }: Props) {
  const { t } = useTranslation();
  const [name, setName] = useState(view.name);
  const [description, setDescription] = useState(view.description);
  const [tags, setTags] = useState(view.tags.join(", "));
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        editSegment(server, (it) => ({ ...it, name, description, tags: pasted(tags) }));
        close();
      }}
    >
      <TextField
        label={t("segments.name")}
        required
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <AreaField
        label={t("segments.description")}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <TextField
        label={t("segments.tags")}
        help={t("segments.tagsHelp")}
        value={tags}
        onChange={(event) => setTags(event.target.value)}
      />
      <div className={classes.buttons}>
        <Button type="submit" look="primary">
          {t("quick.toReview")}
        </Button>
        <Button onClick={close}>{t("action.cancel")}</Button>
      </div>
    </form>
  );
}
