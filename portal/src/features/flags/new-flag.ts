import type { Schemas } from "@/lib/api/client";
import type { Edit } from "@/lib/draft/edit";
import { pasted } from "@/lib/model/operators";
import { uuid } from "@/lib/uuid";

export interface NewFlag {
  name: string;
  /** Made of the name while nobody chose another. */
  key?: string;
  type: Schemas["VariationType"];
  values: string[];
  description: string;
  tags: string;
  /** Environments in which it is on from the start. */
  on: string[];
}

/** The commands that make it. */
export function commandsOf(project: string, flag: NewFlag & { key: string }): Edit[] {
  const { key, name, type, description } = flag;
  const variations = flag.values.map((value) => ({ id: uuid(), value }));
  const made: Edit = {
    kind: "createFlag",
    project,
    flag: key,
    name,
    type,
    description,
    tags: pasted(flag.tags),
    ...(type === "boolean" ? {} : { variations }),
  };
  const on = flag.on.map((environment): Edit => ({
    kind: "turnOn",
    project,
    environment,
    flag: key,
  }));
  return [made, ...on];
}
