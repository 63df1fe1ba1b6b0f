/**
 * The languages. What is said everywhere is one file of each, loaded when it is spoken; what a page
 * alone says lies in `pages/` and comes with the page (`withWords`). English says which keys there
 * are, and a test holds the others to them.
 */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { keepLocally, keptLocally } from "@/lib/theme";
import type { en } from "./en";
import type { Pages } from "./pages";

/** The keys of all pages together. */
type AllOf<T> = { [K in keyof T]: (it: T[K]) => void }[keyof T] extends (it: infer All) => void
  ? All
  : never;

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "all";
    resources: { all: typeof en & AllOf<Pages> };
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

/** By `./en/pages/segments.json`. */
const pages = import.meta.glob<object>("./*/pages/*.json", { import: "default" });

/** Pages whose words are there, in whatever language is spoken. */
const opened = new Set<keyof Pages>();

/** What was added already, by language and page. */
const added = new Set<string>();

async function addPage(language: Language, page: keyof Pages): Promise<void> {
  const words = await pages[`./${language}/pages/${page}.json`]?.();
  if (words) i18next.addResourceBundle(language, "all", words, true, true);
  added.add(`${language} ${page}`);
}

/** Whether a page's words are there. */
export const hasWords = (page: keyof Pages): boolean => added.has(`${spoken()} ${page}`);

/** A page's words, for what is shown on others too. */
export async function needWords(page: keyof Pages): Promise<void> {
  opened.add(page);
  await started;
  await addPage(spoken(), page);
}

/** Pages that show sentences of rules, and what is to be known of them. */
const WITH_RULES: ReadonlySet<keyof Pages> = new Set([
  "changes",
  "compare",
  "flag",
  "home",
  "review",
  "segments",
  "users",
  "why",
]);

/** A page's code, and its words with it: both are asked for at the same moment. */
export async function withWords<T>(page: keyof Pages, code: Promise<T>): Promise<T> {
  const said: (keyof Pages)[] = WITH_RULES.has(page) ? [page, "rules"] : [page];
  for (const it of said) opened.add(it);
  const words = started.then(() => Promise.all(said.map((it) => addPage(spoken(), it))));
  const [loaded] = await Promise.all([code, words]);
  return loaded;
}

const isLanguage = (text: string | undefined): text is Language =>
  text !== undefined && text in LANGUAGES;

/** What was chosen here, else what the browser speaks. */
function preferred(): Language {
  const wanted = [keptLocally(KEY) ?? undefined, ...navigator.languages];
  return wanted.map((it) => it?.split("-")[0]).find(isLanguage) ?? "en";
}

let begin = () => {};
/** Words are added to what is there: the language comes first. */
const started = new Promise<void>((resolve) => {
  begin = resolve;
});

const spoken = (): Language => {
  const { language } = i18next;
  return isLanguage(language) ? language : "en";
};

export async function startLanguage(): Promise<void> {
  const language = preferred();
  await i18next.use(initReactI18next).init({
    lng: language,
    defaultNS: "all",
    resources: { [language]: { all: await files[language]() } },
    interpolation: { escapeValue: false, prefix: "{", suffix: "}" },
    returnNull: false,
    // A page whose words did not come with it: seen by whoever looks, and by every test.
    saveMissing: true,
    missingKeyHandler: (_languages, _namespace, key, instead) => {
      // oxlint-disable-next-line no-console -- there is nobody else to tell
      if (instead === key) console.error(`no words for ${key}`);
    },
  });
  document.documentElement.lang = language;
  begin();
}

export async function speak(language: Language): Promise<void> {
  i18next.addResourceBundle(language, "all", await files[language](), true, true);
  await Promise.all([...opened].map((page) => addPage(language, page)));
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  keepLocally(KEY, language);
}
