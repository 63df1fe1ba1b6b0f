// permessage-deflate, with implementations that are not ours: Node's `ws`, and Chromium's.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { flagThatIsOn } from "../harness/commands.js";
import { open } from "../harness/browser.js";
import { Server } from "../harness/server.js";
import { address, stream, sync } from "./stream.js";

const AGREED = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
const user = { keyId: "ada", name: "Ada", customizedProperties: [] };

let server;
before(async () => {
  server = await Server.start();
  const flags = Array.from({ length: 60 }, (_, number) => `many-${number}`);
  await server.change(...flags.flatMap(flagThatIsOn));
});
after(() => server.stop());

// What `ws` offers with these, and what comes of it.
const offers = [
  { offer: {}, agreed: AGREED },
  { offer: { serverNoContextTakeover: true, clientNoContextTakeover: true }, agreed: AGREED },
  { offer: { clientMaxWindowBits: 9 }, agreed: AGREED },
  { offer: { serverMaxWindowBits: 15 }, agreed: `${AGREED}; server_max_window_bits=15` },
  { offer: { serverMaxWindowBits: 9 }, agreed: undefined },
  { offer: false, agreed: undefined },
];

for (const { offer, agreed } of offers) {
  test(`ws with ${JSON.stringify(offer)}: messages of all lengths, whole and in frames`, async () => {
    const threshold = 0;
    const client = await stream(server, "client", offer && { ...offer, threshold });
    assert.equal(client.agreed, agreed);
    for (const length of [0, 16, 64, 256, 1024, 4096, 16_384, 65_536, 110_000]) {
      const data = text(length);
      client.say({ messageType: "echo", data });
      assert.deepEqual(await client.next(), { messageType: "echo", data });
      const message = JSON.stringify({ messageType: "echo", data });
      const size = Math.ceil(message.length / 5);
      for (let at = 0; at < message.length; at += size) {
        client.socket.send(message.slice(at, at + size), { fin: at + size >= message.length });
      }
      assert.deepEqual(await client.next(), { messageType: "echo", data });
    }
    for (let turn = 0; turn < 200; turn++) client.say({ messageType: "echo", data: turn });
    for (let turn = 0; turn < 200; turn++) {
      assert.deepEqual(await client.next(), { messageType: "echo", data: turn });
    }
    await client.close();
  });
}

for (const [kind, question] of [
  ["server", sync()],
  ["client", sync(user)],
]) {
  test(`a ${kind} SDK gets the same, in less than half the bytes`, async () => {
    const deflating = await stream(server, kind, {});
    const plain = await stream(server, kind, false);
    const bytes = [];
    for (const client of [deflating, plain]) {
      const before = client.bytes();
      client.say(question);
      client.answer = await client.next();
      bytes.push(client.bytes() - before);
    }
    assert.equal(deflating.answer.data.eventType, "full");
    assert.deepEqual(deflating.answer, plain.answer);
    assert.ok(bytes[0] < bytes[1] / 2, `${bytes}`);
    assert.ok(deflating.answer.data.featureFlags.length > 60);
    await server.change({ kind: "turnOff", flag: `many-${kind.length}` });
    assert.deepEqual(await deflating.next(), await plain.next());
    await server.change({ kind: "turnOn", flag: `many-${kind.length}` });
    assert.deepEqual(await deflating.next(), await plain.next());
    await Promise.all([deflating.close(), plain.close()]);
  });
}

test("a message that is too long once it is inflated is refused", async () => {
  const client = await stream(server, "client", { threshold: 0 });
  client.say({ messageType: "echo", data: " ".repeat(50_000_000) });
  assert.equal(await client.closed(), 1009);
});

test("Chromium agrees, and reads what is deflated", async (t) => {
  const browser = await open("js.js");
  t.after(() => browser.close());
  const tab = await browser.tab();
  const url = address(server, "client");
  const seen = await tab.evaluate(
    ([url, question]) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(url);
        socket.onopen = () => socket.send(question);
        socket.onclose = ({ code }) => reject(new Error(`closed with ${code}`));
        socket.onmessage = ({ data }) => {
          socket.onclose = null;
          socket.close();
          resolve({ extensions: socket.extensions, answer: JSON.parse(data) });
        };
      }),
    [url, JSON.stringify(sync(user))],
  );
  assert.equal(seen.extensions, AGREED);
  const plain = await stream(server, "client", false);
  plain.say(sync(user));
  assert.deepEqual(seen.answer, await plain.next());
  await plain.close();
});

/** Text of some pattern, of so many characters. */
function text(length) {
  const words = Array.from({ length }, (_, number) => `${(number * 7919) % 10_007} µ, `);
  return words.join("").slice(0, length);
}
