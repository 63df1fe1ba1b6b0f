import { Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { withWords } from "@/i18n";
import type { Copied } from "@/lib/copy-as";
import { Anchored } from "./anchored";
import { Button } from "./button";

/** The choices by themselves, for a menu that has others beside them. */
export const CopyChoices = lazy(() =>
  withWords("copy-as", import("./copy-choices")).then((it) => ({ default: it.CopyChoices })),
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
  const close = () => setAnchor(undefined);
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
      {anchor && (
        <Anchored anchor={anchor} title={t("copy.as")} close={close}>
          <Suspense>
            <CopyChoices of={of} done={close} />
          </Suspense>
        </Anchored>
      )}
    </>
  );
}
