import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Schemas } from "@/lib/api/client";
import { masked } from "./grace";
import classes from "./sdk-keys.module.css";

interface Props {
  of: Schemas["SdkKeyView"];
  /** Why it is not shown. */
  lacking: string | undefined;
}

/** What programs are configured with. That of a server is shown when somebody asks. */
export function Secret({ of: { kind, name, secret }, lacking }: Props) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  if (secret === "") {
    return (
      <span className={classes.hidden} title={lacking}>
        {lacking ?? t("sdkKeys.notShown")}
      </span>
    );
  }
  // Whoever has a page with it can read it there.
  if (kind === "client") return <code className={classes.secret}>{secret}</code>;
  return (
    <span className={classes.shown}>
      <code className={classes.secret}>{shown ? secret : masked(secret)}</code>
      <Button
        small
        look="quiet"
        aria-label={t(shown ? "sdkKeys.hideNamed" : "sdkKeys.revealNamed", { name })}
        onClick={() => setShown(!shown)}
      >
        {t(shown ? "sdkKeys.hide" : "sdkKeys.reveal")}
      </Button>
    </span>
  );
}
