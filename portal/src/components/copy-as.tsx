import { Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { withWords } from "@/i18n";
import type { Copied } from "@/lib/copy-as";
import { Button } from "./button";

/** The choices by themselves, for a menu that has others beside them. */
export const CopyChoices = lazy(() =>
  withWords("copy-as", import("./copy-choices")).then((it) => ({ default: it.CopyChoices })),
);
const CopyPanel = lazy(() =>
  withWords("copy-as", import("./copy-panel")).then((it) => ({ default: it.CopyPanel })),
);

interface Props {
  of: Copied;
  small?: boolean;
  look?: "plain" | "quiet";
}

/** What is shown, for elsewhere: a link, curl, the command line, JSON, YAML. */
export function CopyAs({ of, small = true, look = "plain" }: Props) {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement>();
  return (
    <>
      <Button
        small={small}
        look={look}
        aria-haspopup="dialog"
        aria-expanded={anchor !== undefined}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {t("copy.as")}
      </Button>
      <Suspense>
        {anchor && <CopyPanel of={of} anchor={anchor} close={() => setAnchor(undefined)} />}
      </Suspense>
    </>
  );
}
