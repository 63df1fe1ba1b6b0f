import { useFormat } from "@/lib/format";
import { useNow } from "@/lib/now";

/** How long ago; the moment itself, with its zone, as title. */
export function Ago({ at }: { at: string }) {
  const { ago, moment } = useFormat();
  const now = useNow();
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at, now)}
    </time>
  );
}
