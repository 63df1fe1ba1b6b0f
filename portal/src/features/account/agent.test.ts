import { expect, it } from "vitest";
import { agentOf } from "./agent";

const APPLE = "AppleWebKit/537.36 (KHTML, like Gecko)";

it.each([
  [
    `Mozilla/5.0 (Windows NT 10.0) ${APPLE} Chrome/140.0 Safari/537.36 Edg/140.0`,
    "Edge",
    "Windows",
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${APPLE} HeadlessChrome/140.0 Safari/537.36`,
    "Chrome",
    "Linux",
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${APPLE} Safari/604`,
    "Safari",
    "iPhone",
  ],
  ["Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox", "Android"],
])("%s", (text, browser, system) => {
  expect(agentOf(text)).toEqual({ browser, system });
});

it("what says nothing is nothing", () => {
  expect(agentOf("")).toEqual({});
  expect(agentOf("curl/8.5.0")).toEqual({ browser: "curl" });
});
