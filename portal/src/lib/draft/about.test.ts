import { expect, it } from "vitest";
import { editsAbout } from "./about";
import type { Edit } from "./edit";

const off = (flag: string, project = "web"): Edit => ({
  kind: "turnOff",
  project,
  flag,
  environment: "prod",
});
const needs = (flag: string, needed: string, environment = "prod"): Edit => ({
  kind: "setPrerequisites",
  project: "web",
  flag,
  environment,
  prerequisites: [{ flag: needed, variation: "on" }],
});
const GRAPH = [
  { flag: "checkout", prerequisites: [{ flag: "payments", variation: "on" }] },
  { flag: "payments", prerequisites: [{ flag: "bank", variation: "on" }] },
  { flag: "other", prerequisites: [{ flag: "checkout", variation: "on" }] },
];
const about = (commands: Edit[], graph = GRAPH) =>
  editsAbout(commands, { project: "web", environment: "prod", flag: "checkout" }, graph).map(
    (it) => ("flag" in it ? it.flag : it.segment),
  );

it("are those of the flag, and of all that it needs on the server", () => {
  const all = ["checkout", "payments", "bank", "other", "else"].map((it) => off(it));
  expect(about(all)).toEqual(["checkout", "payments", "bank"]);
  expect(about(all, [])).toEqual(["checkout"]);
});

it("are those of what it would need by the draft, in this environment", () => {
  const edits = [needs("checkout", "risk"), needs("risk", "rates"), off("rates"), off("payments")];
  expect(about(edits, [])).toEqual(["checkout", "risk", "rates"]);
  expect(about([needs("checkout", "risk", "dev"), off("risk")], [])).toEqual(["checkout"]);
});

it("are none of another project's", () => {
  expect(about([off("checkout", "shop"), off("payments", "shop")])).toEqual([]);
});
