// The options that the SDKs on our pages have in common.
export function options({ sdkKey, user, url, poll }) {
  const any = { sdkKey, user, eventsUri: url, flushInterval: 200 };
  return poll
    ? { ...any, dataSyncMode: "polling", pollingUri: url, pollingInterval: 300 }
    : { ...any, streamingUri: url.replace("http", "ws") };
}
