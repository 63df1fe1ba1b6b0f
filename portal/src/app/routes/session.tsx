/** Where somebody comes in. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { withWords } from "@/i18n";
import { root } from "./base";

export const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ to, error }: Record<string, unknown>): { to?: string; error?: string } => ({
    ...(typeof to === "string" ? { to } : {}),
    ...(typeof error === "string" ? { error } : {}),
  }),
  component: lazyRouteComponent(
    () => withWords("session", import("@/features/session/sign-in-page")),
    "SignInPage",
  ),
});

export const link = createRoute({
  getParentRoute: () => root,
  path: "/link",
  component: lazyRouteComponent(
    () => withWords("session", import("@/features/session/link-page")),
    "LinkPage",
  ),
});
