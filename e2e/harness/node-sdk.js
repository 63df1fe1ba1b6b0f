// FeatBit's Node SDK, as a program sets it up.
import featbit from "@featbit/node-server-sdk";

const { DataSyncModeEnum, FbClientBuilder } = featbit;

/** A client that streams; `log` gets every line that it logs, as [level, text]. */
export function streaming(sdkKey, url, log = () => {}) {
  return new FbClientBuilder()
    .sdkKey(sdkKey)
    .streamingUri(url.replace("http", "ws"))
    .eventsUri(url)
    .flushInterval(200)
    .logger(logger(log))
    .build();
}

/** A client that polls. */
export function polling(sdkKey, url) {
  return new FbClientBuilder()
    .sdkKey(sdkKey)
    .dataSyncMode(DataSyncModeEnum.POLLING)
    .pollingUri(url)
    .eventsUri(url)
    .pollingInterval(300)
    .logger(logger(() => {}))
    .build();
}

/** Waits, on the SDK's own change events, until `condition` holds. */
export async function until(client, condition) {
  let check;
  try {
    await new Promise((resolve, reject) => {
      check = () => Promise.resolve(condition()).then((holds) => holds && resolve(), reject);
      client.on("update", check);
      check();
    });
  } finally {
    client.off("update", check);
  }
}

function logger(log) {
  const at = (level) => (message) => log(level, String(message));
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}
