import { expect, it } from "vitest";
import { bars, sum } from "./counts";

it("every span has a bar, and each evaluation lies in one", () => {
  const answer = {
    by: "hour" as const,
    from: "2026-11-22T08:20:00Z",
    to: "2026-11-22T11:10:00Z",
    spans: [
      { at: "2026-11-22T08:00:00Z", counts: { a: 2, b: 1 } },
      { at: "2026-11-22T11:00:00Z", counts: { b: 4, gone: 3 } },
    ],
    totals: { a: 2, b: 5, gone: 3 },
  };
  const found = bars(answer, ["a", "b"]);
  expect(found.map((it) => it.counts)).toEqual([
    [2, 1, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 4, 3],
  ]);
  expect(found.map(sum)).toEqual([3, 0, 0, 7]);
});
