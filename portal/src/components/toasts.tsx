import { useTranslation } from "react-i18next";
import { useStore } from "@/lib/store";
import { dismiss, floor, toasts } from "@/lib/toasts";
import { Button } from "./button";
import classes from "./toasts.module.css";

/** What was done a moment ago. */
export function Toasts() {
  const { t } = useTranslation();
  const shown = useStore(toasts);
  const lift = useStore(floor);
  return (
    <div
      className={classes.toasts}
      style={{ marginBottom: lift }}
      role="status"
      aria-live="polite"
      aria-atomic={false}
    >
      {shown.map(({ id, text, action, more }) => (
        <div key={id} className={classes.toast}>
          <div>
            <span>{text}</span>
            {more}
          </div>
          {action && (
            <Button
              small
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <Button small look="quiet" aria-label={t("action.dismiss")} onClick={() => dismiss(id)}>
            ✕
          </Button>
        </div>
      ))}
    </div>
  );
}
