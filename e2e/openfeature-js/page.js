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
  // js-client-sdk 4.2.8 puts the list of keys into a list, and says nothing of a new flag.
  OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, ({ flagsChanged }) =>
    window.changed.push(...flagsChanged.flat()),
  );
  await OpenFeature.setProviderAndWait(provider);
  window.client = OpenFeature.getClient();
  window.setContext = (context) => OpenFeature.setContext(context);
};
