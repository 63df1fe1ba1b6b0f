import type { At } from "@/components/as-of";
import type { Schemas } from "@/lib/api/client";
import type { Question } from "@/lib/api/users";
import type { Edit } from "@/lib/draft/edit";

/** The part of a question that says in which state. */
export function asked(at: At, commands: Edit[]): Pick<Question, "version" | "commands"> {
  if (at === "draft") return { commands };
  return at === undefined ? {} : { version: at };
}

type Answer = Schemas["FlagEvaluation"];

/** With those flags that are not released there, of which the API says nothing; by key. */
export function withUnreleased(
  answers: Answer[],
  index: Schemas["IndexedFlagView"][] | undefined,
): Answer[] {
  const answered = new Set(answers.map((it) => it.flag));
  const left = (index ?? []).filter((it) => it.state === "live" && !answered.has(it.key));
  const more = left.map(({ key }): Answer => {
    const reason = { code: "notReleased", params: {}, text: "" };
    return { flag: key, variation: null, reason, sendToExperiment: false };
  });
  return [...answers, ...more].toSorted((a, b) => (a.flag < b.flag ? -1 : 1));
}
