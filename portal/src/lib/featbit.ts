/** What FeatBit serves to its server SDKs, as files have it. */

type Item = Record<string, never>;

export interface Featbit {
  flags: Item[];
  segments: Item[];
}

/**
 * Reads a file: a list of flags or of segments, an object of both, or a whole message of
 * `latest-all` (`data` around them). `undefined` where it is none of these.
 */
export function readFeatbit(text: string): Featbit | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  return ofValue(json);
}

function ofValue(json: unknown): Featbit | undefined {
  if (Array.isArray(json)) {
    const items = json as Item[];
    // A flag has variations, a segment has users who are included.
    const segments = items.length > 0 && items.every((it) => "included" in it);
    return segments ? { flags: [], segments: items } : { flags: items, segments: [] };
  }
  if (typeof json !== "object" || json === null) return undefined;
  const { data, flags, featureFlags, segments } = json as Record<string, unknown>;
  if (data !== undefined) return ofValue(data);
  const found = flags ?? featureFlags;
  if (!Array.isArray(found) && !Array.isArray(segments)) return undefined;
  return {
    flags: Array.isArray(found) ? (found as Item[]) : [],
    segments: Array.isArray(segments) ? (segments as Item[]) : [],
  };
}
