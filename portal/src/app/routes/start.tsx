/** Addresses that lead on to where somebody was. */
import { createRoute, redirect } from "@tanstack/react-router";
import { Start } from "../start";
import { organization, project, root } from "./base";

export const start = createRoute({ getParentRoute: () => root, path: "/", component: Start });

export const home = createRoute({
  getParentRoute: () => organization,
  path: "/",
  component: Start,
});

export const projectHome = createRoute({
  getParentRoute: () => project,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/$organization/$project/flags", params });
  },
});
