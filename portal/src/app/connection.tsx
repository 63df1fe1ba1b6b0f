import { useTranslation } from "react-i18next";
import { useNotKept } from "@/lib/draft/store";
import { silentSince } from "@/lib/events";
import { useFormat } from "@/lib/format";
import { useStore } from "@/lib/store";
import classes from "./shell.module.css";

/** Said while the server is not heard, and where this browser keeps no edits. */
export function Connection() {
  const { t } = useTranslation();
  const { clock } = useFormat();
  const since = useStore(silentSince);
  const notKept = useNotKept();
  return (
    <div role="status">
      {since !== undefined && (
        <div className={classes.offline}>{t("shell.offline", { since: clock(since) })}</div>
      )}
      {notKept && <div className={classes.offline}>{t("shell.notKept")}</div>}
    </div>
  );
}
