import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { type Keys, parseKeys } from "@/lib/keys";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { AreaField } from "./field";
import classes from "./key-list.module.css";
import { KeyRows } from "./key-list-rows";

/** A text of more characters is a list of keys, and nothing to write in. */
const LONG = 50_000;
const NONE: Keys = { keys: [], duplicates: 0 };

interface FromFileProps {
  lacking?: string | undefined;
  read: (file: File | undefined) => void;
}

export function FromFile({ lacking, read }: FromFileProps) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.txt,.tsv,.json,text/*"
        onChange={(event) => {
          read(event.target.files?.[0]);
          // The same file may be chosen again.
          event.target.value = "";
        }}
      />
      <Button small lacking={lacking} onClick={() => input.current?.click()}>
        {t("keys.file")}
      </Button>
    </>
  );
}

interface ReplaceProps {
  label: string;
  count: number;
  change: (keys: string[]) => void;
  close: () => void;
}

/** Others in place of all that are there. */
export function Replace({ label, count, change, close }: ReplaceProps) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const [text, setText] = useState("");
  const [taken, setTaken] = useState<Keys>(NONE);
  // A field of a hundred thousand lines takes a browser seconds: so many are shown as a list.
  const many = text.length > LONG;
  const take = (next: string) => {
    setText(next);
    setTaken(parseKeys(next));
  };
  const twice =
    taken.duplicates > 0 &&
    t("keys.duplicates", { count: taken.duplicates, number: number(taken.duplicates) });
  const numbers = {
    count: taken.keys.length,
    number: number(taken.keys.length),
    before: number(count),
  };
  return (
    <Dialog title={t("keys.replaceTitle", { list: label })} close={close}>
      <form
        className={classes.replace}
        onSubmit={(event) => {
          event.preventDefault();
          change(taken.keys);
          close();
        }}
      >
        {many ? (
          <>
            <KeyRows
              label={t("keys.new")}
              keys={taken.keys}
              lacking={undefined}
              remove={(key) => setTaken({ ...taken, keys: taken.keys.filter((it) => it !== key) })}
            />
            <p className={classes.count}>{twice}</p>
          </>
        ) : (
          <AreaField
            label={t("keys.paste")}
            mono
            rows={8}
            data-autofocus
            value={text}
            onChange={(event) => take(event.target.value)}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData("text");
              if (pasted.length <= LONG) return;
              event.preventDefault();
              take([text, pasted].filter((it) => it !== "").join("\n"));
            }}
            help={twice}
          />
        )}
        <div className={classes.buttons}>
          {many && <Button onClick={() => take("")}>{t("keys.others")}</Button>}
          <FromFile read={(file) => void file?.text().then(take)} />
          <Button type="submit" look="primary">
            {t("keys.replaceBy", numbers)}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
