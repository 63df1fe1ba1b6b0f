/**
 * Names of large values, for the keys of queries and of lists: such a key is written out whenever
 * it is looked at, and a list of a hundred thousand users takes long to write.
 */
import { printOf } from "./set-id";

/** Up to so many characters a value is its own name. */
const SHORT = 2_000;

const stamps = new WeakMap<object, string>();

/** The same for what is the same. Of a value that is not changed any more: it is written out once. */
export function stampOf(value: object): string {
  const known = stamps.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  const stamp = text.length <= SHORT ? text : printOf(text);
  stamps.set(value, stamp);
  return stamp;
}
