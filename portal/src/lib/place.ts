/** Environments as policies name them. */

/** With the mark that some policies ask for. */
export const placeOf = (project: string, it: { key: string; protected: boolean }): string =>
  `project/${project}:env/${it.key}@${it.protected ? "protected" : "unprotected"}`;
