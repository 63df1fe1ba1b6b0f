import { useState } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "@/lib/toasts";
import { Button } from "./button";

interface Props {
  text: string;
  /** What is copied, as the button says it: `Copy the key`. */
  label: string;
  small?: boolean;
  look?: "primary" | "plain" | "quiet";
}

/** Copies a text, and says so where one looks. */
export function CopyButton({ text, label, small = true, look = "plain" }: Props) {
  const { t } = useTranslation();
  const [done, setDone] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 2_000);
    } catch {
      // Without HTTPS browsers keep it from pages: the text can be selected.
      toast(t("copy.refused"));
    }
  }
  return (
    <Button small={small} look={look} onClick={() => void copy()}>
      {done ? t("copy.done") : label}
    </Button>
  );
}
