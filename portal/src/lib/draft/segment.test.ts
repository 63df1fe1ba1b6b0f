import { describe, expect, it } from "vitest";
import type { Segment, WholeSegment } from "@/lib/model/segment";
import { EMPTY } from "./draft";
import type { SegmentEdit } from "./edit";
import { appliedSegment, segmentCommands, withSegment } from "./segment";

const place = { project: "web", environment: "prod" };
const beta: Segment = {
  key: "beta",
  name: "Beta",
  description: "",
  tags: [],
  archived: false,
  included: ["ana", "ben", "chen", "dora"],
  excluded: [],
  rules: [],
};
const whole: WholeSegment = { place, segment: beta, versions: { "web/prod": 41 } };
const kinds = (after: Partial<Segment>) =>
  segmentCommands(place, beta, { ...beta, ...after }).map(({ kind }) => kind);

describe("edits of a segment", () => {
  it("name only the users who come and go", () => {
    const draft = withSegment(EMPTY, whole, (it) => ({
      ...it,
      included: ["ana", "ben", "chen", "emil"],
    }));
    const of = { ...place, segment: "beta" };
    expect(draft).toEqual({
      base: { "web/prod": 41 },
      commands: [
        { ...of, kind: "removeIncluded", keys: ["dora"] },
        { ...of, kind: "addIncluded", keys: ["emil"] },
      ],
    });
  });

  it("name all of them where others take their place", () => {
    expect(kinds({ included: ["x", "y"] })).toEqual(["setIncluded"]);
    expect(kinds({ included: [] })).toEqual(["setIncluded"]);
  });

  it("add many to few", () => {
    const included = [...beta.included, ...Array.from({ length: 50 }, (_, at) => `new-${at}`)];
    const [only] = segmentCommands(place, beta, { ...beta, included });
    expect(only?.kind).toBe("addIncluded");
  });

  it("are none where they cancel out", () => {
    const once = withSegment(EMPTY, whole, (it) => ({ ...it, included: [] }));
    expect(withSegment(once, whole, (it) => ({ ...it, included: beta.included }))).toEqual(EMPTY);
  });

  it("lead to what was edited", () => {
    const rules = [
      { id: "r", name: "Young", conditions: [{ property: "age", op: "LessThan", value: "30" }] },
    ];
    const after: Segment = {
      ...beta,
      name: "Beta users",
      description: "who asked",
      tags: ["early"],
      archived: true,
      included: ["emil"],
      excluded: ["ana"],
      rules,
    };
    const commands: SegmentEdit[] = segmentCommands(place, beta, after);
    expect(appliedSegment(whole, commands)).toEqual(after);
    // Those of another place are not this one's.
    const elsewhere = commands.map((it) => ({ ...it, environment: "dev" }));
    expect(appliedSegment(whole, elsewhere)).toEqual(beta);
  });
});
