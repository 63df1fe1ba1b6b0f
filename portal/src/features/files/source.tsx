import { type Ref, useState } from "react";
import { useTranslation } from "react-i18next";
import { AreaField } from "@/components/field";
import classes from "./files.module.css";

interface Props {
  label: string;
  /** File names that are taken: `.yaml,.json`. */
  accept: string;
  placeholder: string;
  value: string;
  change: (text: string) => void;
  area?: Ref<HTMLDivElement>;
}

/** A text from a file: chosen, dropped or pasted. */
export function Source({ label, accept, placeholder, value, change, area }: Props) {
  const { t } = useTranslation();
  const [over, setOver] = useState(false);
  const take = async (file: File | undefined) => {
    if (file) change(await file.text());
  };
  return (
    <div
      ref={area}
      className={classes.source}
      role="group"
      aria-label={label}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer.files[0]);
      }}
    >
      <AreaField
        label={label}
        mono
        rows={10}
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onChange={(event) => change(event.target.value)}
      />
      <label className={classes.choose}>
        <input
          type="file"
          accept={accept}
          onChange={(event) => {
            void take(event.target.files?.[0]);
            // The same file again, when it was mended.
            event.target.value = "";
          }}
        />
        {t("files.choose")}
      </label>
    </div>
  );
}
