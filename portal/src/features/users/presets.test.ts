import { expect, it } from "vitest";
import { presetLines, presetsOf } from "./presets";

it("values are written a line each, and read back as they were", () => {
  const presets = [
    { value: "de", description: "Germany" },
    { value: "at", description: "" },
    { value: "http://x", description: "a: b" },
    { value: "a: b", description: "" },
    { value: '"x"', description: "" },
    { value: ' "blank" ', description: "in quotes" },
  ];
  expect(presetLines(presets)).toBe(
    'de: Germany\nat\nhttp://x: a: b\n"a: b"\n"\\"x\\""\n" \\"blank\\" ": in quotes',
  );
  expect(presetsOf(presetLines(presets))).toEqual(presets);
  expect(presetsOf("\n  \nde\n")).toEqual([{ value: "de", description: "" }]);
});
