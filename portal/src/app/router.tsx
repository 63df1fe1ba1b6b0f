/** The addresses. Code and data of a page are asked for at the same moment. */
import { createRouter } from "@tanstack/react-router";
import { Failure, NoPage } from "@/components/states";
import { audit } from "./routes/audit";
import { organization, project, root } from "./routes/base";
import { change, changes, history, schedule, version, versions } from "./routes/changes";
import {
  flag,
  flagEnvironment,
  flagHistory,
  flagIndex,
  flagPast,
  flagWhy,
  flags,
} from "./routes/flags";
import { compare, comparePreset, flagCompare } from "./routes/compare";
import { connect } from "./routes/connect";
import { segment, segmentHistory, segmentUsers, segments } from "./routes/segments";
import {
  environment,
  environmentConnections,
  environmentGeneral,
  environmentKeys,
  environmentRules,
  environments,
} from "./routes/environments";
import { projectFiles, projectGeneral, projectSettingsStart } from "./routes/projects";
import { link, signIn } from "./routes/session";
import { projectSettings, settingsPages } from "./routes/settings";
import { decisions, user, userProperties, users, usersFirst, usersOf } from "./routes/users";
import { home, projectHome, start } from "./routes/start";

const tree = root.addChildren([
  signIn,
  link,
  start,
  organization.addChildren([
    home,
    changes,
    change,
    schedule,
    history,
    audit,
    settingsPages,
    project.addChildren([
      projectHome,
      versions,
      version,
      connect,
      projectSettings.addChildren([
        projectSettingsStart,
        projectGeneral,
        projectFiles,
        environments,
        environment.addChildren([
          environmentGeneral,
          environmentRules,
          environmentKeys,
          environmentConnections,
        ]),
      ]),
      flags,
      users.addChildren([usersFirst, usersOf, user]),
      decisions,
      userProperties,
      flag.addChildren([
        flagIndex,
        flagHistory,
        flagPast,
        flagCompare,
        flagEnvironment.addChildren([flagWhy]),
      ]),
      segments,
      comparePreset,
      compare,
      segment.addChildren([segmentUsers, segmentHistory]),
    ]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  defaultNotFoundComponent: () => <NoPage />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
