import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Waiting } from "@/components/states";
import { firstUseQuery } from "@/lib/api/connect";
import { SetUp } from "./setup";

interface Props {
  organization: string;
  project: string;
  /** Whether there is a flag that could have been evaluated. */
  any: boolean;
  actions: ReactNode;
  /** Home, once it is one. */
  children: ReactNode;
}

/**
 * Home of a project that no program asked yet. What is heard while one looks at it does not take it
 * away: the switch is still to come.
 */
export function Begin({ organization, project, any, actions, children }: Props) {
  const [asks] = useState(any);
  const use = useQuery({ ...firstUseQuery(organization, project), enabled: asks });
  if (asks && use.isPending) return <Waiting rows={14} />;
  if (use.data?.evaluated) return children;
  return <SetUp organization={organization} project={project} actions={actions} />;
}
