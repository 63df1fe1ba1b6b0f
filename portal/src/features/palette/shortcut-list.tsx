import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "@/components/dialog";
import { Switch } from "@/components/switch";
import { settingsQuery } from "@/lib/api/queries";
import { keepSettings } from "@/lib/settings";
import { keysShown } from "@/lib/keyboard";
import { type Shortcut, keysOf, shortcutsNow } from "@/lib/shortcuts";
import classes from "./palette.module.css";

/** What keys do on this page, and whether single letters do anything. */
export function ShortcutList({ organization, close }: { organization: string; close: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const settings = useQuery(settingsQuery(organization));
  const [{ page, everywhere }] = useState(shortcutsNow);
  const letters = settings.data?.letterShortcuts !== false;
  return (
    <Dialog title={t("shortcuts.title")} close={close}>
      {page.length > 0 && <Group title={t("shortcuts.here")} of={page} letters={letters} />}
      <Group title={t("shortcuts.goTo")} of={everywhere.filter(goes)} letters={letters} />
      <Group
        title={t("shortcuts.everywhere")}
        of={everywhere.filter((it) => !goes(it))}
        letters={letters}
      />
      <div className={classes.letters}>
        <Switch
          on={letters}
          label={t("shortcuts.letters")}
          text={t(letters ? "flags.on" : "flags.off")}
          onClick={() =>
            void keepSettings(queries, organization, (it) => ({ ...it, letterShortcuts: !letters }))
          }
        />
        <div>
          <strong>{t("shortcuts.letters")}</strong>
          <p>{t("shortcuts.lettersHelp")}</p>
        </div>
      </div>
    </Dialog>
  );
}

const goes = (it: Shortcut) => String(it.keys).startsWith("g ");

function Group({ title, of, letters }: { title: string; of: Shortcut[]; letters: boolean }) {
  return (
    <section className={classes.group}>
      <h3>{title}</h3>
      <dl>
        {of.map((it) => (
          <div key={String(it.keys)} data-off={(!letters && it.run !== undefined) || undefined}>
            <dt>{it.words}</dt>
            <dd>
              {keysOf(it).map((keys) => (
                <kbd key={keys}>{keysShown(keys)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
