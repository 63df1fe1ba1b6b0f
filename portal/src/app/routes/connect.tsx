/** The way to a first program, and to another one. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { project } from "./base";

export const connect = createRoute({
  getParentRoute: () => project,
  path: "connect",
  component: lazyRouteComponent(
    () => withWords("start", import("@/features/start/page")),
    "ConnectPage",
  ),
});
