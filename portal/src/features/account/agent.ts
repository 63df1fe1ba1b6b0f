/** A browser and what it runs on, as far as it tells: for recognising one's own. */

// The first that is named: nearly every browser says that it is some others, too.
const BROWSERS: [string, RegExp][] = [
  ["Edge", /Edg(e|A|iOS)?\//],
  ["Opera", /OPR\//],
  ["Samsung Internet", /SamsungBrowser\//],
  ["Firefox", /(Firefox|FxiOS)\//],
  ["Chrome", /(Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /Safari\//],
  ["curl", /^curl\//],
];
const SYSTEMS: [string, RegExp][] = [
  ["iPad", /iPad/],
  ["iPhone", /iPhone/],
  ["Android", /Android/],
  ["ChromeOS", /CrOS/],
  ["Windows", /Windows/],
  ["macOS", /Macintosh|Mac OS X/],
  ["Linux", /Linux|X11/],
];

export function agentOf(text: string): { browser?: string; system?: string } {
  const first = (of: [string, RegExp][]) => of.find(([, it]) => it.test(text))?.[0];
  const browser = first(BROWSERS);
  const system = first(SYSTEMS);
  return { ...(browser ? { browser } : {}), ...(system ? { system } : {}) };
}
