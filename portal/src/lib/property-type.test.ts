import { expect, test } from "vitest";
import { readsAs } from "./property-type";

test("a text is a number or a list where its JSON is one", () => {
  for (const text of ["1", "-0.5", "1e3"]) expect(readsAs(text, "number"), text).toBe(true);
  for (const text of ["", "a", "1.", "+1", "Infinity", '"1"', "[1]"])
    expect(readsAs(text, "number"), text).toBe(false);
  for (const text of ["[]", '["de", 1]']) expect(readsAs(text, "list"), text).toBe(true);
  for (const text of ["", "de,fr", '["de"', "{}", "1"])
    expect(readsAs(text, "list"), text).toBe(false);
});
