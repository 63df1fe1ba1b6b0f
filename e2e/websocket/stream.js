// A stream as a program without an SDK opens it: Node's `ws`, whose permessage-deflate is its own.
import { once } from "node:events";
import WebSocket from "ws";

/** Where a stream of this kind is opened with a key, now. */
export function address(server, kind) {
  return `${server.url.replace("http", "ws")}/streaming?type=${kind}&token=${token(server.keys[kind])}`;
}

/** An open stream; `perMessageDeflate` is what `ws` takes for it. */
export async function stream(server, kind, perMessageDeflate) {
  const socket = new WebSocket(address(server, kind), { perMessageDeflate });
  const waiting = [];
  const messages = [];
  socket.on("message", (text) => {
    const message = JSON.parse(text);
    if (waiting.length > 0) waiting.shift()(message);
    else messages.push(message);
  });
  const [[response]] = await Promise.all([once(socket, "upgrade"), once(socket, "open")]);
  return {
    socket,
    /** The extension as the server answered it. */
    agreed: response.headers["sec-websocket-extensions"],
    /** The next message. */
    next: () => messages.shift() ?? new Promise((resolve) => waiting.push(resolve)),
    say: (message, options) => socket.send(JSON.stringify(message), options),
    /** The bytes that have come on the wire. */
    bytes: () => socket._socket.bytesRead,
    /** The code that the server closes with. */
    closed: async () => (await once(socket, "close"))[0],
    async close() {
      socket.close(4000);
      await once(socket, "close");
    },
  };
}

/** What an SDK says first. */
export function sync(user) {
  return { messageType: "data-sync", data: { timestamp: 0, ...(user && { user }) } };
}

/** A secret with the time, as SDKs put it into the URL. */
function token(secret) {
  const text = secret.replace(/=+$/, "");
  const digits = (number) => [...number].map((digit) => "QBWSPHDXZU"[digit]).join("");
  const now = String(Date.now());
  const length = digits(String(now.length).padStart(2, "0"));
  return `${digits("007")}${length}${text.slice(0, 7)}${digits(now)}${text.slice(7)}`;
}
