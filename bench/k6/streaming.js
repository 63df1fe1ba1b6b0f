// The published test's user action, for k6: open a WebSocket, send `data-sync`, check the answer.
//
// Response time counts from sending the request to its answer (`sync`); what comes before it is a
// figure of its own (`connect`). Options are variables, see README.md.
import { randomBytes } from "k6/crypto";
import exec from "k6/execution";
import { Counter, Rate, Trend } from "k6/metrics";
import { WebSocket } from "k6/websockets";

const ADDRESS = __ENV.ADDRESS || "127.0.0.1:5100";
const SDK_KEY = __ENV.SDK_KEY || "";
const RATE = number("RATE", 1000);
const RAMP = number("RAMP", 180);
const STEADY = number("STEADY", 0);
const HOLD = number("HOLD", 0);
const PATIENCE = number("PATIENCE", 10);
// A virtual user is busy for as long as its connection stands.
const USERS = number("USERS", Math.ceil(RATE * (HOLD + 0.5)));

const DIGITS = "QBWSPHDXZU";
const PING_EVERY = 18_000;

const connectTime = new Trend("connect", true);
const syncTime = new Trend("sync", true);
const synced = new Counter("synced");
const failed = new Rate("failed");

export const options = {
  scenarios: {
    users: {
      executor: "ramping-arrival-rate",
      startRate: 0,
      timeUnit: "1s",
      preAllocatedVUs: USERS,
      stages: [
        { target: RATE, duration: `${RAMP}s` },
        { target: RATE, duration: `${STEADY}s` },
      ],
      gracefulStop: `${HOLD + PATIENCE}s`,
    },
  },
  thresholds: {
    sync: ["p(99)<200"],
    failed: ["rate<0.01"],
    dropped_iterations: ["count==0"],
  },
  summaryTrendStats: ["avg", "med", "p(95)", "p(99)", "p(99.9)", "max"],
};

export function setup() {
  if (!SDK_KEY) {
    exec.test.abort("SDK_KEY is missing: a client key of the environment");
  }
}

// One user: connected, synced, held for HOLD seconds with heartbeats, gone.
export default function () {
  const user = makeUser(exec.scenario.iterationInTest);
  const begun = Date.now();
  const url = `ws://${ADDRESS}/streaming?type=client&token=${token(SDK_KEY, begun)}`;
  const socket = new WebSocket(url);
  let sent = 0;
  let answered = false;
  let heartbeat = 0;

  const patience = setTimeout(() => socket.close(), PATIENCE * 1000);

  socket.onopen = () => {
    sent = Date.now();
    connectTime.add(sent - begun);
    socket.send(
      JSON.stringify({
        messageType: "data-sync",
        data: { user, timestamp: 0 },
      }),
    );
  };

  socket.onmessage = (event) => {
    if (answered) {
      return; // a heartbeat's answer, or a change
    }
    answered = true;
    clearTimeout(patience);
    const right = isWhole(event.data, user);
    failed.add(!right);
    if (right) {
      syncTime.add(Date.now() - sent);
      synced.add(1);
    }
    if (HOLD === 0) {
      socket.close();
      return;
    }
    heartbeat = setInterval(
      () => socket.send('{"messageType":"ping","data":{}}'),
      PING_EVERY,
    );
    setTimeout(() => socket.close(), HOLD * 1000);
  };

  socket.onclose = () => {
    clearTimeout(patience);
    clearInterval(heartbeat);
    if (!answered) {
      answered = true;
      failed.add(true);
    }
  };
}

// The full answer for this very user, not merely some message.
function isWhole(text, user) {
  try {
    const { messageType, data } = JSON.parse(text);
    return (
      messageType === "data-sync" &&
      data.eventType === "full" &&
      data.userKeyId === user.keyId &&
      data.featureFlags.length > 0 &&
      data.featureFlags.every((flag) => typeof flag.variation === "string")
    );
  } catch {
    return false;
  }
}

function makeUser(count) {
  return {
    keyId: `user-${count}`,
    name: `User ${count}`,
    customizedProperties: [
      { name: "country", value: "de" },
      { name: "age", value: String(count % 90) },
      { name: "plan", value: "enterprise" },
    ],
  };
}

// The connection token that SDKs build around a secret: the secret, cut at a place that the token
// names, with the time between its parts.
function token(secret, now) {
  const bare = secret.replace(/=+$/, "");
  const cut = 2 + (new Uint8Array(randomBytes(1))[0] % (bare.length - 3));
  const time = String(now);
  return (
    letters(cut, 3) +
    letters(time.length, 2) +
    bare.slice(0, cut) +
    letters(time, 0) +
    bare.slice(cut)
  );
}

function letters(number, width) {
  const digits = String(number).padStart(width, "0");
  return [...digits].map((digit) => DIGITS[digit]).join("");
}

function number(name, otherwise) {
  const text = __ENV[name];
  const value = text ? Number(text) : otherwise;
  if (!Number.isFinite(value) || value < 0) {
    throw new Error(`${name} is no number: ${text}`);
  }
  return value;
}
