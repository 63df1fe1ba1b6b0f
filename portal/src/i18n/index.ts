/**
 * The languages. Each is one file that is loaded when it is spoken; English says which keys there
 * are, and a test holds the others to them.
 */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { keepLocally, keptLocally } from "@/lib/theme";
import type { en } from "./en";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "all";
    resources: { all: typeof en };
  }
}

export const LANGUAGES = { en: "English", zh: "中文", ja: "日本語" } as const;
export type Language = keyof typeof LANGUAGES;

const KEY = "burgee-language";

const files: Record<Language, () => Promise<object>> = {
  en: () => import("./en").then((it) => it.en),
  zh: () => import("./zh").then((it) => it.zh),
  ja: () => import("./ja").then((it) => it.ja),
};

const isLanguage = (text: string | undefined): text is Language =>
  text !== undefined && text in LANGUAGES;

/** What was chosen here, else what the browser speaks. */
function preferred(): Language {
  const wanted = [keptLocally(KEY) ?? undefined, ...navigator.languages];
  return wanted.map((it) => it?.split("-")[0]).find(isLanguage) ?? "en";
}

export async function startLanguage(): Promise<void> {
  const language = preferred();
  await i18next.use(initReactI18next).init({
    lng: language,
    defaultNS: "all",
    resources: { [language]: { all: await files[language]() } },
    interpolation: { escapeValue: false, prefix: "{", suffix: "}" },
    returnNull: false,
  });
  document.documentElement.lang = language;
}

export async function speak(language: Language): Promise<void> {
  i18next.addResourceBundle(language, "all", await files[language](), true, true);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  keepLocally(KEY, language);
}
