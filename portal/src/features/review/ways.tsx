import { Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { placeOf } from "@/lib/draft/edit";
import { annotate } from "@/lib/draft/store";
import { localOf, presetAt } from "@/lib/moments";
import button from "@/components/button.module.css";
import type { useSend } from "./send";
import type { Review } from "./use-review";

interface Props {
  review: Review;
  sending: ReturnType<typeof useSend>;
  show: () => void;
  override: () => void;
}

/** Other ways than the one that the button beside it says. */
export function Ways({ review, sending, show, override }: Props) {
  const { t } = useTranslation();
  const { draft, free, mixed, needed } = review;
  const places = (which: typeof free) =>
    [...new Set(draft.commands.filter(which).map(placeOf))].join(", ");
  const planned = draft.note?.plan !== undefined;
  const ready = review.blocked === undefined && review.wordless.length === 0;
  return (
    <Menu position="top-end" width={280} withinPortal>
      <Menu.Target>
        <button
          type="button"
          className={button.button}
          aria-label={t("review.ways")}
          title={t("review.ways")}
        >
          ▾
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {planned ? (
          <Menu.Item onClick={() => annotate({ plan: undefined })}>{t("plan.not")}</Menu.Item>
        ) : (
          <Menu.Item
            onClick={() => {
              const at = localOf(presetAt("tomorrow", new Date()));
              annotate({ plan: { steps: [{ at }] } });
              show();
            }}
          >
            {t("plan.schedule")}
          </Menu.Item>
        )}
        {mixed && ready && !planned && (
          <Menu.Item onClick={() => void sending.sendBoth(free).catch(() => show())}>
            {t("review.applySome", {
              free: places(free),
              waiting: places((edit) => !free(edit)),
            })}
          </Menu.Item>
        )}
        {needed.approvals.length > 0 && !planned && (
          <Menu.Item color="red" onClick={override}>
            {t("quick.override")}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
