// OpenFeature's web SDK with FeatBit's provider.
import { FbProvider } from "@featbit/openfeature-provider-js-client";
import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";

window.connect = async ({ sdkKey, url, user }) => {
  const provider = new FbProvider({
    sdkKey,
    user,
    streamingUri: url.replace("http", "ws"),
    eventsUri: url,
  });
  window.changed = [];
  OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, ({ flagsChanged }) =>
    window.changed.push(...flagsChanged),
  );
  await OpenFeature.setProviderAndWait(provider);
  window.client = OpenFeature.getClient();
  window.setContext = (context) => OpenFeature.setContext(context);
};
