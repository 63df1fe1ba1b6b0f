import { describe, expect, it } from "vitest";
import { type Rule, type WholeFlag, everybody, targetingIn } from "@/lib/model/flag";
import { withShare } from "@/lib/model/rollout";
import { applied } from "./apply";
import { colliding, fitted, keepMine, takeTheirs, undecided } from "./conflict";
import { type Draft, EMPTY, counts, withFlag, withTargeting, without } from "./draft";
import type { Edit } from "./edit";
import { incomplete } from "./incomplete";

const rule = (id: string): Rule => ({
  id,
  name: id,
  conditions: [{ property: "country", op: "Equal", value: id }],
  serving: everybody("on"),
});

function checkout(rules: Rule[] = []): WholeFlag {
  const flag = {
    key: "checkout",
    name: "Checkout",
    description: "",
    type: "boolean" as const,
    archived: false,
    tags: [],
    variations: [
      { id: "on", name: "On", value: "true" },
      { id: "off", name: "Off", value: "false" },
    ],
    onVariation: "on",
    offVariation: "off",
  };
  const prod = {
    released: true,
    on: true,
    prerequisites: [],
    targets: { on: ["ana"] },
    rules,
    defaultRule: everybody("off"),
    offVariation: "off",
  };
  return {
    project: "web",
    flag,
    targetings: { prod },
    versions: { web: 3, "web/prod": 41, "web/dev": 7 },
  };
}

const reordered = (ids: string[], to: string[]) => {
  const whole = checkout(ids.map(rule));
  const draft = withTargeting(EMPTY, whole, "prod", (it) => ({ ...it, rules: to.map(rule) }));
  const after = targetingIn(applied(whole, draft.commands), "prod").rules.map((it) => it.id);
  return { commands: draft.commands, after };
};

describe("a draft", () => {
  it("holds the smallest commands, and the versions that they were made on", () => {
    const draft = withTargeting(EMPTY, checkout(), "prod", (it) => ({ ...it, on: false }));
    expect(draft).toEqual({
      base: { "web/prod": 41 },
      commands: [{ kind: "turnOff", project: "web", environment: "prod", flag: "checkout" }],
    });
  });

  it("has nothing left of edits that cancel out", () => {
    const whole = checkout();
    const once = withTargeting(EMPTY, whole, "prod", (it) => ({ ...it, on: false }));
    expect(withTargeting(once, whole, "prod", (it) => ({ ...it, on: true }))).toEqual(EMPTY);
  });

  it("keeps the version of a scope's first edit", () => {
    const first = withTargeting(EMPTY, checkout(), "prod", (it) => ({ ...it, on: false }));
    const moved = { ...checkout(), versions: { web: 3, "web/prod": 50 } };
    const second = withTargeting(first, moved, "prod", (it) => ({ ...it, offVariation: "on" }));
    expect(second.base).toEqual({ "web/prod": 41 });
    expect(second.commands).toHaveLength(2);
  });

  it("names only the users who come and go", () => {
    const draft = withTargeting(EMPTY, checkout(), "prod", (it) => ({
      ...it,
      targets: { off: ["ben", "ana"] },
    }));
    const place = { project: "web", environment: "prod", flag: "checkout" };
    expect(draft.commands).toEqual([
      { ...place, kind: "removeTargets", variation: "on", keys: ["ana"] },
      { ...place, kind: "addTargets", variation: "off", keys: ["ben", "ana"] },
    ]);
  });

  it("releases a flag where it was never edited", () => {
    const draft = withTargeting(EMPTY, checkout(), "dev", (it) => ({ ...it, on: true }));
    expect(applied(checkout(), draft.commands).targetings["dev"]).toMatchObject({
      released: true,
      on: true,
      offVariation: "off",
    });
  });

  it("counts by scope, and loses a scope's version with its last edit", () => {
    const whole = checkout();
    const renamed = withFlag(EMPTY, whole, (it) => ({ ...it, name: "Till", tags: ["shop"] }));
    const draft = withTargeting(renamed, whole, "prod", (it) => ({ ...it, on: false }));
    expect(counts(draft)).toEqual([
      ["web", 2],
      ["web/prod", 1],
    ]);
    const left = without(draft, 2);
    expect(left.base).toEqual({ web: 3 });
  });
});

describe("the order of rules", () => {
  it.each([
    { from: ["a", "b", "c", "d"], to: ["d", "a", "b", "c"], moves: 1 },
    { from: ["a", "b", "c", "d"], to: ["b", "c", "d", "a"], moves: 1 },
    { from: ["a", "b", "c", "d"], to: ["d", "c", "b", "a"], moves: 3 },
    { from: ["a", "b"], to: ["x", "b", "y", "a", "z"], moves: 1 },
    { from: ["a", "b", "c"], to: ["c"], moves: 0 },
  ])("$from → $to takes $moves moves", ({ from, to, moves }) => {
    const { commands, after } = reordered(from, to);
    expect(after).toEqual(to);
    expect(commands.filter((it) => it.kind === "moveRule")).toHaveLength(moves);
  });

  it("changes a rule by itself", () => {
    const whole = checkout([rule("a"), rule("b")]);
    const draft = withTargeting(EMPTY, whole, "prod", (it) => ({
      ...it,
      rules: it.rules.with(1, { ...rule("b"), name: "Germany" }),
    }));
    expect(draft.commands.map((it) => it.kind)).toEqual(["updateRule"]);
    expect(applied(whole, draft.commands).targetings["prod"]?.rules[1]?.name).toBe("Germany");
  });
});

describe("a conflict", () => {
  const edits = (): Draft =>
    withTargeting(EMPTY, checkout(), "prod", (it) => ({
      ...it,
      on: false,
      defaultRule: withShare(it.defaultRule, "on", 0.1, ["on", "off"]),
    }));
  const collision = {
    scope: "web/prod",
    version: 44,
    kind: "flag",
    key: "checkout",
    facets: ["defaultRule"] as unknown as Record<string, never>[],
    by: "Ken",
    at: "2026-11-22T08:00:00.000Z",
    comment: "",
  };

  it("is about the edits of the same part alone", () => {
    expect(colliding(edits(), collision).map((it) => it.kind)).toEqual(["setDefaultRule"]);
  });

  it("ends with mine on theirs, or with theirs", () => {
    expect(keepMine(edits(), collision, [collision]).base).toEqual({ "web/prod": 44 });
    const theirs = takeTheirs(edits(), collision, [collision]);
    expect(theirs.commands.map((it) => it.kind)).toEqual(["turnOff"]);
    expect(theirs.base).toEqual({ "web/prod": 44 });
  });

  it("is not passed over when another in the same place is decided", () => {
    const facets = ["onOff"] as unknown as Record<string, never>[];
    const all = [{ ...collision, version: 43, facets }, collision];
    const [first, second] = all as [typeof collision, typeof collision];
    const kept = keepMine(edits(), second, all);
    expect(kept.base).toEqual({ "web/prod": 41 });
    expect(undecided(kept, all)).toEqual([first]);
    const done = takeTheirs(kept, first, all);
    expect(done.commands.map((it) => it.kind)).toEqual(["setDefaultRule"]);
    expect(done.base).toEqual({ "web/prod": 44 });
    expect(done.decided).toBeUndefined();
  });

  it("about a rule that is gone leaves mine to be added", () => {
    const whole = checkout([rule("a"), rule("b")]);
    const draft = withTargeting(EMPTY, whole, "prod", ({ rules: [a, b], ...it }) => ({
      ...it,
      rules: b && a ? [b, { ...a, name: "Mine" }] : [],
    }));
    const now = fitted(draft, checkout([rule("b")]));
    expect(applied(checkout([rule("b")]), now.commands).targetings["prod"]?.rules).toEqual([
      rule("b"),
      { ...rule("a"), name: "Mine" },
    ]);
  });
});

it("a rule that is still being written is incomplete", () => {
  const writing = (change: Partial<Rule["conditions"][number]>): Draft => {
    const conditions = [{ property: "country", op: "IsOneOf", value: '["de"]', ...change }];
    const edit: Edit = {
      kind: "addRule",
      project: "web",
      environment: "prod",
      flag: "checkout",
      rule: { id: "r", conditions },
    };
    return { base: {}, commands: [edit] };
  };
  expect(incomplete(writing({}))).toBeUndefined();
  expect(incomplete(writing({ property: " " }))).toBe("property");
  expect(incomplete(writing({ value: "[]" }))).toBe("value");
  expect(incomplete(writing({ op: "IsSet", value: "" }))).toBeUndefined();
});
