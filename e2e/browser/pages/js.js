// The JavaScript SDK on a page.
import { FbClientBuilder } from "@featbit/js-client-sdk";
import { options } from "./options.js";

window.connect = async (settings) => {
  const client = new FbClientBuilder(options(settings)).build();
  window.sdk = {
    isReady: () => client.initialized(),
    value: (flag, type, missing) => client[METHODS[type]](flag, missing),
    identify: (user) => client.identify(user),
    track: (event, value) => client.track(event, value),
  };
  await client.waitForInitialization();
};

const METHODS = {
  boolean: "boolVariation",
  string: "stringVariation",
  number: "numberVariation",
  json: "jsonVariation",
};
