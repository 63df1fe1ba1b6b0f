// A real SMTP server that keeps what it is given.
import { once } from "node:events";
import { SMTPServer } from "smtp-server";
import { eventually } from "./eventually.js";

export class Mailbox {
  /** What arrived: { to, subject, text }, the oldest first. */
  letters = [];
  /** How many of the next mails are refused for now (a 4xx). */
  refuses = 0;
  #server;

  static async start() {
    const mailbox = new Mailbox();
    mailbox.#server = new SMTPServer({
      // Without certificates: the connection is to this machine.
      disabledCommands: ["STARTTLS"],
      onAuth: ({ username, password }, _, done) =>
        username === "burgee" && password === "p@ss"
          ? done(null, { user: username })
          : done(new Error("not these")),
      onRcptTo: (_, __, done) => {
        if (mailbox.refuses === 0) return done();
        mailbox.refuses -= 1;
        done(Object.assign(new Error("come again"), { responseCode: 451 }));
      },
      onData: (stream, session, done) => {
        const parts = [];
        stream.on("data", (part) => parts.push(part));
        stream.on("end", () => {
          const to = session.envelope.rcptTo.map((it) => it.address).join();
          mailbox.letters.push({ to, ...parsed(Buffer.concat(parts).toString()) });
          done();
        });
      },
    });
    const listening = mailbox.#server.listen(0, "127.0.0.1");
    await once(listening, "listening");
    mailbox.url = `smtp://burgee:p%40ss@127.0.0.1:${listening.address().port}`;
    return mailbox;
  }

  /** Waits for a letter to somebody about something. */
  letter(to, subject) {
    const wanted = (it) => it.to === to && subject.test(it.subject);
    return eventually(() => this.letters.find(wanted), `a letter to ${to} about ${subject}`);
  }

  stop() {
    return new Promise((done) => this.#server.close(done));
  }
}

/** What a letter says: its subject, and its text with the encoding undone. */
function parsed(raw) {
  const [head, ...rest] = raw.split("\r\n\r\n");
  const header = (name) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1];
  const body = rest.join("\r\n\r\n");
  const quoted = header("content-transfer-encoding") === "quoted-printable";
  const text = quoted
    ? body
        .replace(/=\r\n/g, "")
        .replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)))
    : body;
  return { subject: header("subject"), automatic: header("auto-submitted"), text };
}
