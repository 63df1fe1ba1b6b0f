import { expect, it } from "vitest";
import { addresses } from "./program";
import { PROGRAMS } from "./programs";

it("programs have the key, the flag and both addresses", () => {
  const place = { key: "secret-1", flag: "first-flag", ...addresses("https://flags.example.org") };
  for (const { id, code, install } of PROGRAMS) {
    const text = code(place);
    for (const part of ["secret-1", "first-flag", "wss://flags.", "https://flags."]) {
      expect(text, id).toContain(part);
    }
    // The very version that is known to work with this server.
    expect(install, id).toMatch(/\d+\.\d+\.\d+/);
  }
});

it("what runs at people's has a client key", () => {
  const clients = PROGRAMS.filter((it) => it.kind === "client").map((it) => it.id);
  expect(clients).toEqual(["browser", "react"]);
});
