import type { Variation } from "@/lib/model/flag";
import { jsonDiff } from "@/lib/model/json-diff";
import { JsonDiff } from "./json-diff";
import classes from "./json-diff.module.css";
import { VariationLabel } from "./variation";

interface Props {
  before: Variation[];
  after: Variation[];
}

/** What other variations mean, one by one: values of JSON by their paths. */
export function VariationChanges({ before, after }: Props) {
  const ids = [...new Set([...before, ...after].map((it) => it.id))];
  const changed = ids
    .map((id) => ({
      id,
      old: before.find((it) => it.id === id),
      now: after.find((it) => it.id === id),
      place: after.findIndex((it) => it.id === id),
    }))
    .filter(({ old, now }) => old?.value !== now?.value || old?.name !== now?.name);
  return (
    <ul className={classes.variations}>
      {changed.map(({ id, old, now, place }) => (
        <li key={id}>
          <VariationLabel
            place={place < 0 ? before.findIndex((it) => it.id === id) : place}
            label={now?.name ?? old?.name ?? ""}
          />
          <JsonDiff of={changes(old, now)} />
        </li>
      ))}
    </ul>
  );
}

function changes(old: Variation | undefined, now: Variation | undefined) {
  const names =
    old && now && old.name !== now.name
      ? [{ path: "", before: old.name ?? "–", after: now.name ?? "–" }]
      : [];
  if (old?.value === now?.value) return names;
  const inside = old && now ? jsonDiff(old.value, now.value) : undefined;
  const whole = {
    path: "",
    ...(old ? { before: old.value } : {}),
    ...(now ? { after: now.value } : {}),
  };
  return [...names, ...(inside ?? [whole])];
}
