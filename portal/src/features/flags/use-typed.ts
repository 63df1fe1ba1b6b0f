import { useEffect, useEffectEvent, useState } from "react";

/** The address is written when the hand rests: each write is work for the whole page. */
const REST_MS = 300;

/** What is typed at once, and in the address soon; another address says something else. */
export function useTyped(
  address: string,
  write: (text: string) => void,
): [string, (text: string) => void] {
  const [text, setText] = useState(address);
  const [seen, setSeen] = useState(address);
  const [sent, setSent] = useState(address);
  if (address !== seen) {
    setSeen(address);
    // A view, or Back; what was written from here is no news.
    if (address !== sent) setText(address);
    setSent(address);
  }
  const rest = useEffectEvent(() => {
    if (text === sent) return;
    setSent(text);
    write(text);
  });
  useEffect(() => {
    const timer = setTimeout(() => rest(), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
