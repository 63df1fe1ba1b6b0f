import { PROPERTY_TYPES, type PropertyTypes } from "./property-type";

/** Whom it is asked for, and in which state, as it stands in the address. */
export interface WhySearch {
  user?: string;
  /** In place of what is known of them. */
  properties?: Record<string, string>;
  /** What of those is more than a text. */
  types?: PropertyTypes | undefined;
  /** A version that was. */
  version?: number;
  /** After one's edits. */
  draft?: true;
}

/** What of an address is a question; the rest is not there. */
export function readWhy(search: Record<string, unknown>): WhySearch {
  const { user, properties, types, version, draft } = search;
  const read: WhySearch = {};
  // A key of digits is read as a number.
  if (user !== undefined && user !== "") {
    read.user = typeof user === "object" ? JSON.stringify(user) : String(user);
  }
  if (typeof properties === "object" && properties !== null) {
    const given = Object.entries(properties).map(([name, value]) => [name, String(value)] as const);
    read.properties = Object.fromEntries(given);
    if (typeof types === "object" && types !== null) {
      const typed = Object.entries(types).flatMap(([name, type]) =>
        PROPERTY_TYPES.filter((it) => it === type).map((it) => [name, it] as const),
      );
      if (typed.length > 0) read.types = Object.fromEntries(typed);
    }
  }
  if (typeof version === "number" && Number.isInteger(version) && version >= 0) {
    read.version = version;
  } else if (draft === true) read.draft = true;
  return read;
}
