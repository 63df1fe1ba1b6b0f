import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Page } from "@/components/page";
import { SelectField } from "@/components/select-field";
import { Wrong } from "@/components/states";
import { LANGUAGES, type Language, speak } from "@/i18n";
import type { Schemas } from "@/lib/api/client";
import { settingsQuery } from "@/lib/api/queries";
import { keysShown } from "@/lib/keyboard";
import { keepSettings } from "@/lib/settings";
import { useStore } from "@/lib/store";
import { type Theme, chooseTheme, theme } from "@/lib/theme";
import { useTitle } from "@/lib/title";
import classes from "./account.module.css";

const THEMES: Theme[] = ["system", "light", "dark"];
const DENSITIES = ["compact", "comfortable"] as const;

/** How the portal looks and speaks: each choice holds at once, on every machine of this member. */
export function AppearancePage() {
  const { t, i18n } = useTranslation();
  useTitle(t("account.appearance"));
  const { organization } = useParams({ from: "/$organization/settings/appearance" });
  const queries = useQueryClient();
  const settings = useQuery(settingsQuery(organization));
  const chosen = useStore(theme);
  const keep = useMutation({
    mutationFn: (change: Partial<Schemas["MemberSettings"]>) =>
      keepSettings(queries, organization, (it) => ({ ...it, ...change })),
  });
  const density = settings.data?.density ?? "compact";
  return (
    <Page title={t("account.appearance")} help={t("account.appearanceHelp")}>
      <div className={classes.form}>
        <SelectField
          label={t("shell.language")}
          value={i18n.language}
          onChange={(event) => {
            const language = event.target.value as Language;
            void speak(language);
            keep.mutate({ language });
          }}
        >
          {Object.entries(LANGUAGES).map(([language, name]) => (
            <option key={language} value={language} lang={language}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t("shell.theme")}
          value={chosen}
          onChange={(event) => {
            const next = THEMES.find((it) => it === event.target.value) ?? "system";
            chooseTheme(next);
            keep.mutate({ theme: next });
          }}
        >
          {THEMES.map((it) => (
            <option key={it} value={it}>
              {t(`shell.themes.${it}`)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t("account.density")}
          help={t("account.densityHelp")}
          value={density}
          onChange={(event) => {
            const next = DENSITIES.find((it) => it === event.target.value) ?? "compact";
            keep.mutate({ density: next });
          }}
        >
          {DENSITIES.map((it) => (
            <option key={it} value={it}>
              {t(`account.densities.${it}`)}
            </option>
          ))}
        </SelectField>
        <label className={classes.check}>
          <input
            type="checkbox"
            checked={settings.data?.letterShortcuts ?? true}
            onChange={(event) => keep.mutate({ letterShortcuts: event.target.checked })}
          />
          <span>
            {t("account.letters")}
            <small>{t("account.lettersHelp", { key: keysShown("Mod+K") })}</small>
          </span>
        </label>
        <Wrong error={keep.error ?? settings.error} />
      </div>
    </Page>
  );
}
