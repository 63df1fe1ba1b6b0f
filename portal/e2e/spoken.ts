/** Pages in other words than the English ones that the tests know them by. */
import type { Page } from "@playwright/test";
import { readFile } from "node:fs/promises";
import { expect } from "./test.ts";

/** Shows the page that is open once more, in a language. */
export async function inLanguage(page: Page, language: string): Promise<void> {
  await page.evaluate((it) => localStorage.setItem("burgee-language", it), language);
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("lang", language);
  await settled(page);
}

/** Nothing is on its way any more. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByRole("heading").first()).toBeVisible();
  // What is on its way has a name; what is said as it happens has none.
  await expect(page.locator("main [role=status][aria-label]")).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
}

/** On a phone. */
export async function narrowed(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await settled(page);
}

interface Chunk {
  file: string;
}

/** In the page: every word of a text with 40 % more letters; names in brackets stay. */
const STRETCH = `
let owed = 0;
const word = (it) => {
  owed += it.length * 0.4;
  const more = Math.floor(owed);
  owed -= more;
  return it + "\\u014d".repeat(more);
};
const text = (it) =>
  it.replace(/(\\{[^}]*\\}|\\[\\w+\\]|<[^>]*>)|\\p{L}+/gu, (all, kept) => kept ?? word(all));
const stretched = (it) =>
  typeof it === "string"
    ? text(it)
    : Array.isArray(it)
      ? it.map(stretched)
      : Object.fromEntries(Object.entries(it).map(([key, its]) => [key, stretched(its)]));
`;

/** The paths of the files that English words come in. */
export async function english(): Promise<Set<string>> {
  const manifest = new URL("../dist/site/.vite/manifest.json", import.meta.url);
  const chunks = JSON.parse(await readFile(manifest, "utf8")) as Record<string, Chunk>;
  const files = Object.entries(chunks).filter(([name]) => name.startsWith("src/i18n/en"));
  return new Set(files.map(([, { file }]) => `/${file}`));
}

/**
 * From now on English is two fifths longer: a language that is as long as the longest ones, of
 * which nobody has to write a word. It is made of the files of words on their way to the browser.
 */
export async function stretch(page: Page): Promise<void> {
  const files = await english();
  await page.route(
    ({ pathname, search }) => files.has(pathname) && search === "",
    async (route) => {
      const { pathname } = new URL(route.request().url());
      const code = await (await route.fetch()).text();
      const names = /export\s*\{([^}]*)\}/.exec(code)?.[1]?.split(",") ?? [];
      const all = names.map((it) => it.split(" as ").at(-1)?.trim() ?? "");
      const again = all.map((it, at) => `s${at} as ${it}`).join(",");
      const made = all.map((it, at) => `const s${at} = stretched(words[${JSON.stringify(it)}]);`);
      const body = `import * as words from "${pathname}?as-it-is";${STRETCH}${made.join("")}export{${again}};`;
      await route.fulfill({ contentType: "text/javascript", body });
    },
  );
  await page.reload();
  await settled(page);
  await expect(page.getByRole("navigation").first()).toContainText("ō");
}

/** What does not fit: the page in the window, words in what is around them. */
export const unfit = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const named = (it: Element) => {
      const { className } = it;
      const kind = typeof className === "string" ? className.split(" ")[0] : "";
      return `<${it.tagName.toLowerCase()} ${kind}> ${(it.textContent ?? "").slice(0, 60)}`;
    };
    const too = (it: Element, by = 1) => it.scrollWidth > it.clientWidth + by;
    /** The part of it that reaches furthest. */
    const furthest = (it: Element) => {
      const scrolled = (part: Element | null): boolean =>
        part !== null &&
        part !== it &&
        (getComputedStyle(part).overflowX !== "visible" || scrolled(part.parentElement));
      const ends = [...it.querySelectorAll("*")]
        .filter((part) => !scrolled(part.parentElement))
        .map((part) => [part.getBoundingClientRect().right, part] as const);
      return ends.toSorted(([a], [b]) => b - a)[0]?.[1] ?? it;
    };
    if (too(document.documentElement)) found.push(`the page is wider than the window`);
    for (const it of document.body.querySelectorAll("*")) {
      if (!(it instanceof HTMLElement) || it.clientWidth <= 1 || !it.checkVisibility()) continue;
      // For the ears; and fields, whose text moves under the caret.
      if (it.matches(".hidden, input, textarea, select")) continue;
      const { overflowX, textOverflow, display } = getComputedStyle(it);
      if (display === "inline" || !too(it)) continue;
      const cut = overflowX === "hidden" || overflowX === "clip";
      if (cut && textOverflow !== "ellipsis") found.push(`cut off: ${named(it)}`);
      const holds = it.matches("button, a, label, h1, h2, h3, [role=tab], [role=switch]");
      if (holds && overflowX === "visible" && too(it, 4)) found.push(`sticks out: ${named(it)}`);
      const scrolls = it.matches("main, [role=dialog]") && overflowX !== "visible";
      if (scrolls) found.push(`scrolls sideways: ${named(furthest(it))}`);
    }
    return found;
  });
