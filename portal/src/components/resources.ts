import { useQueries, useQuery } from "@tanstack/react-query";
import { environmentsQuery, projectsQuery } from "@/lib/api/queries";

/** So many projects are looked into: what is not offered can be typed. */
const PROJECTS = 12;

/**
 * What statements can be about, as far as it exists: for offering while somebody types. Questions
 * say of an environment whether it is protected, and name no patterns.
 */
export function useResources(organization: string, asked: "patterns" | "questions"): string[] {
  const projects = useQuery(projectsQuery(organization));
  const looked = (projects.data ?? []).slice(0, PROJECTS);
  const environments = useQueries({
    queries: looked.map((it) => environmentsQuery(organization, it.key)),
    combine: (all) => all.map((it) => it.data ?? []),
  });
  const named = looked.flatMap((project, index) => {
    const path = `project/${project.key}`;
    const inside = environments[index] ?? [];
    if (asked === "questions") {
      const marked = inside.map(
        (it) => `${path}:env/${it.key}@${it.protected ? "protected" : "unprotected"}`,
      );
      return [...marked.map((it) => `${it}:flag/*`), ...marked, path, `${path}:flag/*`];
    }
    return [
      ...inside.map((it) => `${path}:env/${it.key}`),
      path,
      ...inside.map((it) => `${path}:env/${it.key}:flag/*`),
      `${path}:flag/*`,
      `${path}:segment/*`,
    ];
  });
  const whole = ["organization", "member/*", "group/*", "policy/*", "token/*", "segment/*"];
  if (asked === "questions") return [...named, ...whole];
  return [
    ...named,
    "*",
    "project/*:env/*@protected",
    "project/*:env/*@unprotected",
    "project/*",
    "project/*:flag/*",
    ...whole,
  ];
}
