// The pictures of the README, taken of a server with the demo flags: `npm run pictures`, with the
// binary that `make binary` builds. What is on them is what whoever follows the README sees.
import { chromium } from "@playwright/test";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { OWNER, Server } from "../e2e/server.ts";

const folder = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));
const DEMO = "/default/demo/flags";

/** Known users, so that there is somebody to ask about. */
const PEOPLE = ["ana", "ben", "chiyo", "dmitri", "eva", "farah"].map((key, index) => ({
  key,
  name: key[0]?.toUpperCase() + key.slice(1),
  properties: { country: ["DE", "JP", "FR"][index % 3] ?? "", app: `2.${index}.0` },
}));

async function prepare(server: Server): Promise<string> {
  const first = await server.signIn(OWNER.email, server.firstPassword);
  const password = { current: server.firstPassword, new: OWNER.password };
  await server.call(first, "POST", "/me/password", password);
  const cookie = await server.signIn();
  const prod = "/projects/demo/environments/prod";
  await fetch(`${server.url}/api/v1${prod}/users`, {
    method: "POST",
    headers: { cookie, "content-type": "application/x-ndjson" },
    body: PEOPLE.map((it) => JSON.stringify(it)).join("\n"),
  });
  await server.call(cookie, "PATCH", prod, { protected: true });
  const flags = ["page-size", "theme", "return-10p-true"];
  const commands = flags.map((flag) => ({ kind: "turnOn", environment: "dev", flag }));
  await server.call(cookie, "POST", "/projects/demo/changes", { commands });
  return cookie;
}

await mkdir(folder, { recursive: true });
const server = await Server.start();
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
try {
  const [name = "", ...value] = (await prepare(server)).split("=");
  const context = await browser.newContext({
    viewport: { width: 1440, height: 810 },
    locale: "en",
    timezoneId: "UTC",
  });
  await context.addCookies([{ name, value: value.join("="), url: server.url }]);
  const page = await context.newPage();
  const shoot = async (file: string) => {
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: `${folder}${file}.png` });
  };

  await page.goto(server.url + DEMO);
  await page.getByRole("link", { name: /Welcome text/ }).waitFor();
  await shoot("flags");

  await page.goto(`${server.url}${DEMO}/return-10p-true/prod/why?user=ana`);
  await page
    .getByText(/falls? at/)
    .first()
    .waitFor();
  await shoot("why");

  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${server.url}${DEMO}/return-10p-true/prod`);
  const rest = page.getByRole("region", { name: "Everybody else" });
  const share = rest.getByRole("textbox", { name: /Percent that get/ }).first();
  await share.fill("50");
  await share.press("Enter");
  await page.getByRole("button", { name: "Review", exact: true }).click();
  await page
    .getByText(/known users/)
    .first()
    .waitFor();
  await shoot("review");
} finally {
  await browser.close();
  await server.stop();
}
