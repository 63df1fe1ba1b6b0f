// Debian's Chromium, showing a page of ours from an origin of its own: what the SDK asks of the
// server is cross-origin, as on users' sites.
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const pages = new URL("../browser/pages/", import.meta.url);

/** Bundles a page (the name of a file under browser/pages) and serves it to a new browser. */
export async function open(name) {
  const script = await bundle(name);
  const site = http.createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(
      isScript ? script : '<!doctype html><div id="root"></div><script src="/page.js"></script>',
    );
  });
  await once(site.listen(0, "127.0.0.1"), "listening");
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  const origin = `http://127.0.0.1:${site.address().port}/`;
  return {
    /** A tab with a storage of its own. */
    async tab() {
      // The certificates are of our own making.
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(origin);
      return page;
    },
    async close() {
      await browser.close();
      site.close();
    },
  };
}

async function bundle(name) {
  const result = await build({
    entryPoints: [fileURLToPath(new URL(name, pages))],
    bundle: true,
    write: false,
    format: "iife",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  return result.outputFiles[0].text;
}
