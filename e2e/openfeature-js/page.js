// OpenFeature's web SDK with FeatBit's provider.
import { FbProvider } from "@featbit/openfeature-provider-js-client";
import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";
import { options } from "../browser/pages/options.js";

window.connect = async (settings) => {
  const provider = new FbProvider(options(settings));
  const client = OpenFeature.getClient();
  window.changed = [];
  // js-client-sdk 4.2.8 puts the list of keys into a list, and says nothing of a new flag.
  OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, ({ flagsChanged }) =>
    window.changed.push(...flagsChanged.flat()),
  );
  window.sdk = {
    isReady: () => provider.getClient().initialized(),
    value: (flag, type, missing) => client[METHODS[type]](flag, missing),
    identify: (context) => OpenFeature.setContext(context),
    // OpenFeature's own `track` does nothing with this provider.
    track: (event, value) => provider.getClient().track(event, value),
  };
  await OpenFeature.setProviderAndWait(provider);
};

const METHODS = {
  boolean: "getBooleanValue",
  string: "getStringValue",
  number: "getNumberValue",
  json: "getObjectValue",
};
