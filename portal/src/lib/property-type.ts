/** What properties are besides their texts: OFREP's may be numbers and lists. */
import type { Schemas } from "./api/client";

export type PropertyType = Schemas["PropertyType"];

/** The types of those properties that are more than texts, by name. */
export type PropertyTypes = Record<string, PropertyType>;

export const PROPERTY_TYPES: readonly PropertyType[] = ["number", "list"];

/** Whether a text is the JSON of that type. */
export function readsAs(text: string, type: PropertyType): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return type === "number" ? typeof value === "number" : Array.isArray(value);
  } catch {
    return false;
  }
}
