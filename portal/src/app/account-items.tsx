import { Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { LANGUAGES, type Language, speak } from "@/i18n";
import { type Schemas, api } from "@/lib/api/client";
import { clearDraft, draftNow } from "@/lib/draft/store";
import { keepSettings } from "@/lib/settings";
import { shortcutsShown } from "@/lib/shortcuts";
import { useStore } from "@/lib/store";
import { type Theme, chooseTheme, theme } from "@/lib/theme";

const THEMES: Theme[] = ["system", "light", "dark"];

interface Props {
  button: ReactElement;
  organization: string;
  me: Schemas["Me"] | undefined;
}

/** Who is signed in, what they chose for themselves, and the way out. */
export function AccountItems({ button, organization, me }: Props) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const chosen = useStore(theme);

  const keep = (change: Partial<Schemas["MemberSettings"]>) =>
    keepSettings(queries, organization, (it) => ({ ...it, ...change }));

  async function leave() {
    const edits = draftNow().commands.length;
    // oxlint-disable-next-line no-alert -- the page is about to go; what asks must outlive it
    if (edits > 0 && !confirm(t("shell.leaveEdits", { count: edits }))) return;
    clearDraft();
    await api("").DELETE("/api/v1/session");
    queries.clear();
    await navigate({ to: "/sign-in" });
  }

  const mark = (is: boolean) => (is ? "✓" : " ");
  return (
    <Menu defaultOpened position="top-start" width={220} withinPortal>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me?.email}</Menu.Label>
        <Menu.Label>{t("shell.theme")}</Menu.Label>
        {THEMES.map((it) => (
          <Menu.Item
            key={it}
            leftSection={mark(chosen === it)}
            onClick={() => {
              chooseTheme(it);
              void keep({ theme: it });
            }}
          >
            {t(`shell.themes.${it}`)}
          </Menu.Item>
        ))}
        <Menu.Label>{t("shell.language")}</Menu.Label>
        {Object.entries(LANGUAGES).map(([language, name]) => (
          <Menu.Item
            key={language}
            lang={language}
            leftSection={mark(i18n.language === language)}
            onClick={() => {
              void speak(language as Language);
              void keep({ language: language as Language });
            }}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => shortcutsShown.set(true)}>{t("shell.shortcuts")}</Menu.Item>
        <Menu.Item onClick={() => void leave()}>{t("shell.signOut")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
