import type { Program } from "./program";
import { browser, node, react } from "./scripts";
import { dotnet, go, java, python } from "./servers";

/** In the order in which they are offered. */
export const PROGRAMS: readonly Program[] = [node, browser, react, python, go, java, dotnet];
