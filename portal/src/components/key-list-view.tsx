import { type DragEvent, type KeyboardEvent, useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { joined, parseKeys } from "@/lib/keys";
import type { KeyListProps } from "./key-list";
import { KeyActions } from "./key-list-actions";
import classes from "./key-list.module.css";
import { KeyOffers } from "./key-list-offers";
import { KeyRows } from "./key-list-rows";

/** The list, with what one does to it. */
export function KeyListView({ label, keys, change, file, place, lacking }: KeyListProps) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const [text, setText] = useState("");
  const [report, setReport] = useState("");
  const [over, setOver] = useState(false);
  const searched = useDeferredValue(text.trim());
  const found = useMemo(() => {
    const part = searched.toLowerCase();
    return part === "" ? keys : keys.filter((it) => it.toLowerCase().includes(part));
  }, [keys, searched]);

  function add(more: string[]) {
    const next = joined(keys, more);
    if (next.added > 0) change(next.keys);
    const there = more.length - next.added;
    const words = t("keys.added", { count: next.added, number: number(next.added) });
    setReport(
      there > 0 ? `${words} ${t("keys.there", { count: there, number: number(there) })}` : words,
    );
    setText("");
  }

  function press(event: KeyboardEvent<HTMLInputElement>) {
    // Enter that ends the composing of a word is not ours.
    if (event.nativeEvent.isComposing || event.key !== "Enter") return;
    event.preventDefault();
    const typed = parseKeys(text).keys;
    if (typed.length > 0) add(typed);
  }

  async function read(dropped: File | undefined) {
    if (dropped) add(parseKeys(await dropped.text()).keys);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    if (lacking === undefined) void read(event.dataTransfer.files[0]);
  }

  return (
    <div
      className={classes.list}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(lacking === undefined);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className={classes.bar}>
        <input
          className={classes.input}
          aria-label={label}
          placeholder={t(keys.length === 0 ? "keys.addFirst" : "keys.searchOrAdd")}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={press}
          onPaste={(event) => {
            const { keys: pasted } = parseKeys(event.clipboardData.getData("text"));
            if (pasted.length < 2 || lacking !== undefined) return;
            event.preventDefault();
            add(pasted);
          }}
        />
        <KeyActions
          label={label}
          keys={keys}
          file={file}
          lacking={lacking}
          read={(chosen) => void read(chosen)}
          change={(next) => {
            change(next);
            setReport("");
          }}
        />
      </div>
      <KeyOffers
        text={searched}
        known={keys}
        place={place}
        lacking={lacking}
        add={(key) => add([key])}
      />
      {keys.length > 0 && (
        <p className={classes.count}>
          {searched === ""
            ? t("keys.count", { count: keys.length, number: number(keys.length) })
            : t("keys.found", {
                count: keys.length,
                number: number(keys.length),
                found: number(found.length),
              })}
        </p>
      )}
      {found.length > 0 && (
        <KeyRows
          label={label}
          keys={found}
          lacking={lacking}
          remove={(key) => {
            change(keys.filter((it) => it !== key));
            setReport("");
          }}
        />
      )}
      <p className={classes.report} role="status">
        {report}
      </p>
    </div>
  );
}
