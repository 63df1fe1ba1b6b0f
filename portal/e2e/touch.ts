import type { Page } from "@playwright/test";

/**
 * What is to be touched and smaller than a finger: what lies 21 px above or below the middle of it
 * is not it. Links within a text are as high as the text.
 */
export async function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const within = "a, button, select, summary, label, [role=button], [role=option]";
    const fields = "input:not([type=checkbox], [type=radio], [type=file]), textarea";
    return [...document.querySelectorAll<HTMLElement>(`${within}, ${fields}`)].flatMap((it) => {
      const style = getComputedStyle(it);
      if (style.display === "inline" || style.visibility === "hidden") return [];
      if (it.tagName === "LABEL" && !it.querySelector("input, select")) return [];
      const { left, top, width, height } = it.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const hits = (at: number) => it.contains(document.elementFromPoint(x, at));
      // What is not in view, or is covered, is touched elsewhere.
      if (y < 22 || y > innerHeight - 22 || !hits(y)) return [];
      if (height >= 43.5 || (hits(y - 21) && hits(y + 21))) return [];
      return [`${it.getAttribute("aria-label") ?? it.textContent}: ${height}`];
    });
  });
}
