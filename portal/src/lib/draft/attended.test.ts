import { expect, it } from "vitest";
import { attendedHere } from "./attended";

it("a part has its own lines of what another made, and the first is where one begins", () => {
  const line = (code: string) => ({ code, params: {}, text: code });
  const now = {
    kind: "flag",
    key: "checkout",
    scope: "web/prod",
    areas: ["targets", "defaultRule"],
    by: "Ken",
    lines: [line("targetsAdded"), line("defaultRuleSet"), line("ruleAdded")],
  };
  const of = (area: string) => attendedHere(now, { ...now, area });
  expect(of("targets")).toMatchObject({ lines: [line("targetsAdded")], first: true });
  expect(of("defaultRule")).toMatchObject({ lines: [line("defaultRuleSet")], first: false });
  expect(of("rules")).toBeUndefined();
  expect(attendedHere(now, { ...now, area: "targets", scope: "web/dev" })).toBeUndefined();
});
