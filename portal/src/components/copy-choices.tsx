import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Copied, FORMATS, type Format, textsOf } from "@/lib/copy-as";
import { toast } from "@/lib/toasts";
import classes from "./copy-choices.module.css";
import { AreaField } from "./field";
import { Wrong } from "./states";

interface Props {
  of: Copied;
  /** Called when one of them was copied. */
  done: () => void;
}

/** Each form in which it can be had; a press copies it. */
export function CopyChoices({ of, done }: Props) {
  const { t } = useTranslation();
  const texts = textsOf(of, location.origin);
  // Where the browser refuses: shown, to be copied by hand.
  const [shown, setShown] = useState<string>();
  const copy = useMutation({
    mutationFn: async (format: Format) => {
      const text = (await texts[format]?.()) ?? "";
      try {
        await navigator.clipboard.writeText(text);
        return undefined;
      } catch {
        return text;
      }
    },
    onSuccess: (refused, format) => {
      setShown(refused);
      if (refused !== undefined) return;
      toast(t(`copyAs.done.${format}`));
      done();
    },
  });
  const offered = FORMATS.filter((it) => texts[it] !== undefined);
  return (
    <div className={classes.choices}>
      {offered.map((format, index) => (
        <button
          key={format}
          type="button"
          className={classes.choice}
          data-autofocus={index === 0 || undefined}
          aria-busy={(copy.isPending && copy.variables === format) || undefined}
          onClick={() => copy.mutate(format)}
        >
          <strong>{t(`copyAs.as.${format}`)}</strong>
          <span>{t(`copyAs.help.${format}`)}</span>
        </button>
      ))}
      <Wrong error={copy.error} />
      {shown !== undefined && (
        <AreaField
          label={t("copy.refused")}
          mono
          readOnly
          autoFocus
          rows={6}
          value={shown}
          onFocus={(event) => event.target.select()}
        />
      )}
    </div>
  );
}
