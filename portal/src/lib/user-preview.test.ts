import { describe, expect, it } from "vitest";
import { preview } from "./user-preview";

describe("a file of users, before it is sent", () => {
  it("is JSON lines where it begins so, and tells which are wrong", () => {
    const text = '{"key":"ana","name":"Ana","properties":{"age":30}}\n\n{"name":"x"}\nnope\n';
    expect(preview(text, true)).toEqual({
      kind: "jsonLines",
      users: [{ key: "ana", name: "Ana", properties: { age: "30" } }],
      wrong: [
        { line: 3, code: "userKey" },
        { line: 4, code: "json" },
      ],
      more: false,
    });
  });

  it("is CSV otherwise, with quotes as they are written there", () => {
    const text =
      'key,name,country,properties\r\nben,"B, ""en""",fr,"{""plan"":""pro""}"\r\n,x,y,\r\n';
    expect(preview(text, true)).toEqual({
      kind: "csv",
      users: [{ key: "ben", name: 'B, "en"', properties: { country: "fr", plan: "pro" } }],
      wrong: [{ line: 3, code: "userKey" }],
      more: false,
    });
    expect(preview("id,name\n1,x\n", true).wrong).toEqual([{ line: 1, code: "columns" }]);
  });

  it("shows the first, and does not judge half a line", () => {
    const lines = Array.from({ length: 9 }, (_, index) => `{"key":"u${index}"}`).join("\n");
    const cut = preview(`${lines}\n{"key":"u1`, false);
    expect(cut.users.map((it) => it.key)).toEqual(["u0", "u1", "u2", "u3", "u4"]);
    expect(cut).toMatchObject({ wrong: [], more: true });
  });
});
