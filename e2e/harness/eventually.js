// Waiting for a condition that nothing announces.
import { setTimeout as pause } from "node:timers/promises";

const DEADLINE = 60_000;

/** An error that waiting does not heal. */
export class Fatal extends Error {}

/** Asks again and again until the answer is true; gives up loudly. */
export async function eventually(condition, what) {
  const end = Date.now() + DEADLINE;
  let last;
  for (;;) {
    try {
      const answer = await condition();
      if (answer) return answer;
    } catch (error) {
      if (error instanceof Fatal) throw error;
      last = error;
    }
    if (Date.now() > end) throw new Error(`never seen: ${what}`, { cause: last });
    await pause(25);
  }
}
