/** A connection as an SDK holds one, that speaks only when it is told to. */

import { WebSocket } from "ws";

interface Keys {
  items: { kind: string; secret: string }[];
}

type Call = <T>(method: string, route: string, body?: unknown) => Promise<T>;

/** The first key of that kind. */
export async function secretOf(call: Call, project: string, environment: string, kind = "server") {
  const route = `/projects/${project}/environments/${environment}/sdk-keys`;
  const { items } = await call<Keys>("GET", route);
  return items.find((it) => it.kind === kind)?.secret ?? "";
}

export class Stream {
  private constructor(private readonly socket: WebSocket) {}

  /** Connects, and has got the flags. */
  static async open(url: string, secret: string, agent: string): Promise<Stream> {
    const address = `${url.replace("http", "ws")}/streaming?type=server&token=${token(secret)}`;
    const socket = new WebSocket(address, { headers: { "user-agent": agent } });
    const answered = once(socket, "message");
    await once(socket, "open");
    const stream = new Stream(socket);
    stream.say({ messageType: "data-sync", data: { timestamp: 0 } });
    await answered;
    return stream;
  }

  /** What SDKs say every 10 to 18 s. */
  ping(): void {
    this.say({ messageType: "ping", data: null });
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, "close");
    this.socket.close(4000);
    await closed;
  }

  private say(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }
}

function once(socket: WebSocket, event: "open" | "message" | "close"): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener(event, () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error(`no ${event}`)), { once: true });
  });
}

/** A secret with the time, as SDKs put it into the address. */
function token(secret: string): string {
  const text = secret.replace(/=+$/, "");
  const digits = (number: string) => [...number].map((it) => "QBWSPHDXZU"[Number(it)]).join("");
  const now = String(Date.now());
  const length = digits(String(now.length).padStart(2, "0"));
  return `${digits("007")}${length}${text.slice(0, 7)}${digits(now)}${text.slice(7)}`;
}
