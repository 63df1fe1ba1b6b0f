import { Fragment, type ReactNode } from "react";

/**
 * A sentence with parts that are more than text. `text` is one template of the language, so the
 * order of the words is free: `If [property] is one of [value]`.
 */
export function Sentence({ text, parts }: { text: string; parts: Record<string, ReactNode> }) {
  const pieces = text.split(/\[(\w+)\]/);
  return pieces.map((piece, index) => (
    // The pieces of a template never move.
    // oxlint-disable-next-line react/no-array-index-key
    <Fragment key={index}>{index % 2 === 0 ? piece : parts[piece]}</Fragment>
  ));
}
