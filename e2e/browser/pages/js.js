// The JavaScript SDK on a page: `connect` makes the client that the test then asks.
import { DataSyncModeEnum, FbClientBuilder } from "@featbit/js-client-sdk";

window.connect = async ({ sdkKey, url, user, poll }) => {
  const builder = new FbClientBuilder().sdkKey(sdkKey).user(user).eventsUri(url).flushInterval(200);
  if (poll) builder.dataSyncMode(DataSyncModeEnum.POLLING).pollingUri(url).pollingInterval(300);
  else builder.streamingUri(url.replace("http", "ws"));
  window.client = builder.build();
  await window.client.waitForInitialization();
};
