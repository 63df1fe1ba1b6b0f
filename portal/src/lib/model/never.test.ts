import { describe, expect, it } from "vitest";
import { type Condition, type Rule, everybody } from "./flag";
import { never, wrongFor } from "./never";

const rule = (id: string, ...conditions: Condition[]): Rule => ({
  id,
  name: "",
  conditions,
  serving: everybody("a"),
});
const country = (...values: string[]): Condition => ({
  property: "country",
  op: "IsOneOf",
  value: JSON.stringify(values),
});
const age = (op: string, value: string): Condition => ({ property: "age", op, value });

describe("a rule that nobody comes to", () => {
  it("stands behind one that takes everybody, or asks for less", () => {
    const all = rule("all");
    expect(never(rule("b", country("de")), [all])).toEqual({ code: "shadowed", by: all });
    const less = rule("less", country("de"));
    const more = rule("more", age("BiggerThan", "18"), country("de"));
    expect(never(more, [less])).toEqual({ code: "shadowed", by: less });
    expect(never(less, [more])).toBeUndefined();
  });

  it("asks for two things at once", () => {
    const found = { code: "contradiction", property: "country" };
    expect(never(rule("a", country("de"), country("at", "ch")), [])).toEqual(found);
    expect(never(rule("a", country("de", "at"), country("at", "ch")), [])).toBeUndefined();
    const not = { property: "country", op: "NotEqual", value: "de" };
    expect(never(rule("a", country("de"), not), [])).toEqual(found);
    expect(never(rule("a", country("de", "at"), not), [])).toBeUndefined();
    expect(never(rule("a", age("BiggerThan", "20"), age("LessThan", "18")), [])).toEqual({
      code: "contradiction",
      property: "age",
    });
  });
});

it("a value that its operator cannot read is said", () => {
  expect(wrongFor("BiggerThan", "many")).toBe("number");
  expect(wrongFor("SemverBiggerEqualThan", "2.3")).toBeUndefined();
  expect(wrongFor("SemverBiggerEqualThan", "new")).toBe("version");
  expect(wrongFor("MatchRegex", "(")).toBe("pattern");
  expect(wrongFor("MatchRegex", "(?i)^de$")).toBeUndefined();
  expect(wrongFor("InCidr", '["10.0.0.0/8", "::1"]')).toBeUndefined();
  expect(wrongFor("IsOneOf", '["x"]')).toBeUndefined();
});
