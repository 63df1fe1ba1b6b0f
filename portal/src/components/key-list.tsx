import { Suspense, lazy } from "react";
import { withWords } from "@/i18n";
import type { UsersPlace } from "@/lib/api/known";
import { Waiting } from "./states";

export interface KeyListProps {
  /** Whose keys: `Included users`. */
  label: string;
  keys: readonly string[];
  change: (keys: string[]) => void;
  /** The name of the file that is downloaded, without its ending. */
  file: string;
  /** Where users are looked for that are offered while one types. */
  place?: UsersPlace;
  /** Why it cannot be changed. */
  lacking?: string | undefined;
}

const View = lazy(() =>
  withWords("keys", import("./key-list-view")).then((it) => ({ default: it.KeyListView })),
);

/**
 * Users by their keys, up to a hundred thousand: searched, typed, pasted, taken from a file or
 * dropped, replaced and downloaded. Its words come with it.
 */
export function KeyList(props: KeyListProps) {
  return (
    <Suspense fallback={<Waiting rows={2} />}>
      <View {...props} />
    </Suspense>
  );
}
