/** Enter leads to the next part of a sentence that is still there after what was chosen. */
export function nextPart(from: HTMLElement, ...skip: string[]): void {
  const sentence = from.closest("[data-sentence]");
  const part = from.closest<HTMLElement>("[data-part]") ?? from;
  const before = partsOf(sentence).indexOf(part);
  // What is drawn follows what was chosen.
  requestAnimationFrame(() => {
    const parts = partsOf(sentence);
    const next = parts.slice(before + 1).find((it) => !skip.includes(it.dataset["part"] ?? ""));
    next?.focus();
  });
}

const partsOf = (sentence: Element | null): HTMLElement[] =>
  sentence ? [...sentence.querySelectorAll<HTMLElement>("[data-part]")] : [];
