import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

/** A list of fewer is simply there. */
const FEW = 60;

interface Props<T> {
  /** What it lists: read out before it. */
  label: string;
  items: T[];
  keyOf: (item: T) => string;
  /** How high an item is, about, in pixels. */
  estimate: number;
  /** An item: one `li`. */
  children: (item: T) => ReactNode;
}

/** Items of any height in a page that scrolls, however many: those in view are there. */
export function VirtualList<T>({ label, items, keyOf, estimate, children }: Props<T>) {
  if (items.length > FEW) {
    return (
      <Many label={label} items={items} keyOf={keyOf} estimate={estimate}>
        {children}
      </Many>
    );
  }
  return (
    <ol aria-label={label}>
      {items.map((item) => (
        <Keyed key={keyOf(item)}>{children(item)}</Keyed>
      ))}
    </ol>
  );
}

const Keyed = ({ children }: { children: ReactNode }) => children;

function Many<T>({ label, items, keyOf, estimate, children }: Props<T>) {
  const list = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => setMargin(list.current?.offsetTop ?? 0), []);
  const rows = useVirtualizer({
    count: items.length,
    // The page itself scrolls.
    getScrollElement: () => document.querySelector<HTMLElement>("#content"),
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    estimateSize: () => estimate,
    overscan: 6,
    scrollMargin: margin,
  });
  return (
    <div
      ref={list}
      role="list"
      aria-label={label}
      style={{ position: "relative", height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().map(({ index, key, start }) => {
        const item = items[index];
        return (
          item !== undefined && (
            <div
              key={String(key)}
              ref={rows.measureElement}
              data-index={index}
              role="listitem"
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ position: "absolute", top: start - margin, left: 0, right: 0 }}
            >
              <ul role="presentation">{children(item)}</ul>
            </div>
          )
        );
      })}
    </div>
  );
}
