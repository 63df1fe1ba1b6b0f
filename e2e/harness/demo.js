// What every flag of `--demo` must serve to the users of demo.json: written by hand, and the
// percentage rollouts by the formula alone (MD5 of flag key and user key).
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const table = JSON.parse(readFileSync(new URL("../demo.json", import.meta.url), "utf8"));

/** The users by name: `{ key, name, properties }`. */
export const users = table.users;

/** The flags by key, each with its type. */
export const flags = table.flags;

/** The value of a flag for a user of the table. */
export function expected(flag, user) {
  const entry = table.flags[flag].serves[user];
  if (!entry?.split) return entry;
  const share = bucket(flag + table.users[user].key);
  return entry.split.find(([upTo]) => share <= upTo)[1];
}

/** A user as FeatBit's JavaScript SDKs take it, with the name of its key (`key`, `keyId`). */
export function asUser({ key, name, properties }, called) {
  const customizedProperties = Object.entries(properties).map(([name, value]) => ({ name, value }));
  return { [called]: key, name, customizedProperties };
}

function bucket(text) {
  return Math.abs(createHash("md5").update(text).digest().readInt32LE(0)) / 2 ** 31;
}
