// OpenFeature's web SDK with OFREP's provider.
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { ErrorCode, OpenFeature, ProviderEvents } from "@openfeature/web-sdk";

const client = OpenFeature.getClient();
const asked = {
  boolean: "getBooleanValue",
  string: "getStringValue",
  number: "getNumberValue",
  json: "getObjectValue",
};

window.changed = [];
client.addHandler(ProviderEvents.ConfigurationChanged, ({ flagsChanged }) =>
  window.changed.push(...flagsChanged),
);

window.connect = async ({ url, secret, context, ...options }) => {
  const headers = [["X-API-Key", secret]];
  const provider = new OFREPWebProvider({ baseUrl: url, headers, ...options });
  await OpenFeature.setProviderAndWait(provider, context);
};
window.change = (context) => OpenFeature.setContext(context);
window.value = (flag, type, fallback) => client[asked[type]](flag, fallback);
window.isUnknown = (flag) =>
  client.getBooleanDetails(flag, false).errorCode === ErrorCode.FLAG_NOT_FOUND;
