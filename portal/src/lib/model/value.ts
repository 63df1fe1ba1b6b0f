import type { Flag } from "@/lib/model/flag";

/** What is wrong with a variation's value for a type, as a code. */
export function wrongValue(type: Flag["type"], value: string): "number" | "json" | undefined {
  if (type === "number") {
    const read = value.trim() !== "" && Number.isFinite(Number(value));
    return read ? undefined : "number";
  }
  if (type !== "json") return undefined;
  try {
    JSON.parse(value);
    return undefined;
  } catch {
    return "json";
  }
}
