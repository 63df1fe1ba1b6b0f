/** First programs in JavaScript. */
import type { Program } from "./program";

export const node: Program = {
  id: "node",
  name: "Node",
  kind: "server",
  install: "npm install @featbit/node-server-sdk@1.3.0",
  file: "first-flag.mjs",
  run: "node first-flag.mjs",
  code: ({ key, flag, http, ws }) => `import featbit from "@featbit/node-server-sdk";

const client = new featbit.FbClientBuilder()
  .sdkKey("${key}")
  .streamingUri("${ws}")
  .eventsUri("${http}")
  .logLevel("none")
  .build();
await client.waitForInitialization();

const user = { key: "ada", name: "Ada", customizedProperties: [] };
async function show() {
  console.log("${flag} is", await client.boolVariation("${flag}", user, false));
  await client.flush();
}

await show();
client.on("update:${flag}", show);
`,
};

export const browser: Program = {
  id: "browser",
  name: "JavaScript",
  kind: "client",
  install: "npm install @featbit/js-client-sdk@4.2.15",
  file: "main.js",
  run: "npx vite",
  code: ({ key, flag, http, ws }) => `import { FbClientBuilder } from "@featbit/js-client-sdk";

const client = new FbClientBuilder({
  sdkKey: "${key}",
  streamingUri: "${ws}",
  eventsUri: "${http}",
  user: { keyId: "ada", name: "Ada", customizedProperties: [] },
}).build();
await client.waitForInitialization();

async function show() {
  document.body.textContent = "${flag} is " + (await client.boolVariation("${flag}", false));
}

await show();
client.on("update:${flag}", show);
`,
};

export const react: Program = {
  id: "react",
  name: "React",
  kind: "client",
  install: "npm install @featbit/react-client-sdk@4.2.15",
  file: "main.jsx",
  run: "npx vite",
  code: ({
    key,
    flag,
    http,
    ws,
  }) => `import { asyncWithFbProvider, useFlags } from "@featbit/react-client-sdk";
import { createRoot } from "react-dom/client";

const Provider = await asyncWithFbProvider({
  options: {
    sdkKey: "${key}",
    streamingUri: "${ws}",
    eventsUri: "${http}",
    user: { keyId: "ada", name: "Ada", customizedProperties: [] },
  },
});

function FirstFlag() {
  const flags = useFlags();
  return <p>${flag} is {String(flags["${flag}"])}</p>;
}

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <Provider>
    <FirstFlag />
  </Provider>,
);
`,
};
