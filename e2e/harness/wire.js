// A TCP relay between an SDK and the server, so that a test decides when the network is there.
import { once } from "node:events";
import net from "node:net";

export class Wire {
  #sockets = new Set();
  #cut = false;

  /** A wire to a server's port, listening on a port of its own. */
  static async to(port) {
    const wire = new Wire();
    wire.listener = net.createServer((near) => wire.#join(near, port)).listen(0, "127.0.0.1");
    await once(wire.listener, "listening");
    wire.url = `http://127.0.0.1:${wire.listener.address().port}`;
    return wire;
  }

  /** Drops every connection; new ones are dropped too until `mend()`. */
  cut() {
    this.#cut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend() {
    this.#cut = false;
  }

  async close() {
    this.cut();
    this.listener.close();
    await once(this.listener, "close");
  }

  #join(near, port) {
    if (this.#cut) {
      near.destroy();
      return;
    }
    const far = net.connect(port, "127.0.0.1");
    for (const [here, there] of [
      [near, far],
      [far, near],
    ]) {
      this.#sockets.add(here);
      here.pipe(there);
      here.on("error", () => there.destroy());
      here.on("close", () => {
        this.#sockets.delete(here);
        there.destroy();
      });
    }
  }
}
