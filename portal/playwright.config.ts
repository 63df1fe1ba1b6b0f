import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "e2e",
  // Two cores: a server and a browser each file are enough at once.
  workers: 1,
  timeout: 60_000,
  // Machines of others are shared and slow at times; what passed at the second try is told as such.
  retries: process.env["CI"] ? 1 : 0,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  outputDir: "shots/failed",
  use: {
    viewport: { width: 1440, height: 900 },
    locale: "en",
    timezoneId: "UTC",
    colorScheme: "light",
    launchOptions: {
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        // Nothing here asks the internet. The provider's pages would (for a font), and where packets
        // are dropped rather than refused, a page waits for minutes until it is loaded.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
      ],
    },
  },
});
