import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { OPERATORS } from "@/lib/model/operators";
import { en as everywhere } from "./en";
import { ja } from "./ja";
import { zh } from "./zh";

type Tree = { [key: string]: string | Tree };

function flat(tree: Tree, path = ""): Record<string, string> {
  return Object.entries(tree).reduce<Record<string, string>>((all, [key, value]) => {
    const here = path === "" ? key : `${path}.${key}`;
    return { ...all, ...(typeof value === "string" ? { [here]: value } : flat(value, here)) };
  }, {});
}

const pages = import.meta.glob<Tree>("./*/pages/*.json", { import: "default", eager: true });

/** What is said everywhere and what pages say; no key is said twice. */
function whole(language: string, words: Tree): Record<string, string> {
  const of = Object.entries(pages).filter(([name]) => name.startsWith(`./${language}/`));
  return [words, ...of.map(([, page]) => page)].reduce<Record<string, string>>((all, part) => {
    const more = flat(part);
    expect(Object.keys(more).filter((key) => key in all)).toEqual([]);
    return { ...all, ...more };
  }, {});
}

const english = whole("en", everywhere);
const slots = (text: string) => [...new Set(text.match(/\{\w+\}|\[\w+\]/g))].toSorted();

describe.each([
  ["zh", whole("zh", zh)],
  ["ja", whole("ja", ja)],
])("%s", (_, other) => {
  it("has the keys of English, and no others", () => {
    expect(Object.keys(other).toSorted()).toEqual(Object.keys(english).toSorted());
  });

  it("leaves no slot of a sentence out", () => {
    for (const [key, text] of Object.entries(english)) {
      const said = slots(other[key] ?? "");
      // A number need not be said where the words do not change with it.
      const asked = slots(text).filter((it) => it !== "{count}");
      expect(
        asked.filter((it) => !said.includes(it)),
        key,
      ).toEqual([]);
    }
  });
});

it("every key is used", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("i18n"))
    .map((name) => readFileSync(`${root}/${name}`, "utf8"))
    .join("\n");
  // These are made of codes.
  const coded = [
    /^access\.all/,
    /^account\.densities/,
    /^act\./,
    /^audit\.(kinds|groups|facets|filter)/,
    /^builtIn/,
    /^changes/,
    /^command/,
    /^compare\.(facets|parts)/,
    /^copyAs/,
    /^diff/,
    /^flag\.(spans|servedBy|wrong|never|takenFrom|turnedOn|turnedOff|changedBy)/,
    /^quick\.(turnOn|turnOff|roll)/,
    /^rule\.wrong/,
    /^flags\.(types|on|off|notReleased|staleWhy|views|name$|changed$)/,
    /^list\.(orders|densities)/,
    /^connections\.(kinds|positions)/,
    /^create\.wrong/,
    /^decisions\.(surface|unknown|filter)/,
    /^delivery\.(is|stages)/,
    /^history\.by/,
    /^may\./,
    /^operator/,
    /^people\.preset/,
    /^place/,
    /^palette\.(groups|connections|decisions)/,
    /^problem\.codes/,
    /^(kinds|parts|past\.groups|schedule|stopped)/,
    /^files\.(exportAs|results|one|kinds)/,
    /^sdkKeys\.(graces|kinds|kindsHelp)/,
    /^request\.(states|stepStates|events|stepIs|lineIs|\w+$)/,
    /^plan\.(preset|flaws)/,
    /^review\.incomplete/,
    /^scope\.(all|tagged|one)/,
    /^shell\.themes/,
    /^users\.(wrong|forgottenIn)/,
    /^warning\.codes/,
    /^why\.(says|since|kinds|results|member|broken|by|needs|propertyType)/,
  ];
  const unused = Object.keys(english)
    .map((key) => key.replace(/_(one|other)$/, ""))
    .filter((key) => !coded.some((it) => it.test(key)) && !sources.includes(`"${key}"`));
  expect(unused).toEqual([]);
});

it("every operator has words", () => {
  expect(
    Object.keys(english)
      .filter((key) => key.startsWith("operator."))
      .map((key) => key.slice("operator.".length))
      .toSorted(),
  ).toEqual(Object.keys(OPERATORS).toSorted());
});

it("keys are named as they stand on the keyboard of whoever reads", () => {
  const named = [everywhere, zh, ja].flatMap((it) => Object.entries(flat(it)));
  const all = [...named, ...Object.values(pages).flatMap((it) => Object.entries(flat(it)))];
  expect(all.filter(([, text]) => /[⌘⌥⌃⇧]|\b(Ctrl|Alt)\b/.test(text))).toEqual([]);
});
