// Mail to people, against a real SMTP server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "../harness/eventually.js";
import { Mailbox } from "../harness/mailbox.js";
import { Person } from "../harness/person.js";
import { Server } from "../harness/server.js";

const PASSWORD = "correct horse battery";

let mailbox;
let server;
before(async () => {
  mailbox = await Mailbox.start();
  server = await Server.start("--smtp-url", mailbox.url, "--mail-from", "Burgee <burgee@x.org>");
});
after(async () => {
  await server.stop();
  await mailbox.stop();
});

/** What stands after `#` in the link of a letter. */
function link(letter) {
  return /\/link#(\S+)/.exec(letter.text)[1];
}

async function followed(letter, password) {
  const person = new Person();
  const body = { link: link(letter), password };
  return { person, answer: await person.api(server, "POST", "/links/follow", body) };
}

function ask(email) {
  return new Person().api(server, "POST", "/session/reset", { email });
}

/** A metric of the server: how many mails came to this end. */
async function counted(outcome) {
  const text = await server.metrics();
  const line = new RegExp(`^burgee_mails_total\\{outcome="${outcome}"\\} (\\d+)$`, "m");
  return Number(line.exec(text)?.[1] ?? 0);
}

test("who is invited gets the link, and comes in by it", async () => {
  const made = await server.api("POST", "/invitations", {
    email: "ann@x.org",
    policies: ["reader"],
  });
  assert.equal(made.mailed, true);
  const letter = await mailbox.letter("ann@x.org", /invited/);
  assert.equal(letter.automatic, "auto-generated");
  assert.ok(letter.text.includes(made.link), letter.text);
  const { person, answer } = await followed(letter, PASSWORD);
  assert.equal(answer.status, 200);
  assert.equal((await person.api(server, "GET", "/projects")).status, 200);
});

test("who forgot the password chooses another, once, and is told", async () => {
  assert.equal((await ask("ANN@x.org")).status, 204);
  const letter = await mailbox.letter("ann@x.org", /new password/);
  const { answer } = await followed(letter, "another password");
  assert.equal(answer.status, 200);
  await mailbox.letter("ann@x.org", /was changed/);
  assert.equal((await followed(letter, "a third password")).answer.status, 404);
  const signIn = (password) =>
    new Person().api(server, "POST", "/session", { email: "ann@x.org", password });
  assert.equal((await signIn("another password")).status, 200);
  assert.equal((await signIn(PASSWORD)).status, 401);
});

test("who has no account gets no mail and the same answer; the next mail is for another", async () => {
  assert.equal((await ask("nobody@x.org")).status, 204);
  await server.api("POST", "/invitations", { email: "ben@x.org", policies: ["reader"] });
  await mailbox.letter("ben@x.org", /invited/);
  assert.ok(!mailbox.letters.some((it) => it.to === "nobody@x.org"));
  assert.equal((await ask("no address")).status, 400);
});

test("who asks again and again has to wait, with or without an account", async () => {
  for (const email of ["cid@x.org", "ben@x.org"]) {
    const statuses = [];
    for (let i = 0; i < 7; i++) statuses.push((await ask(email)).status);
    assert.equal(statuses[0], 204);
    assert.equal(statuses.at(-1), 429, statuses.join());
  }
});

test("what the mail server refuses for now is sent again, and counted", async () => {
  mailbox.refuses = 1;
  await server.api("POST", "/invitations", { email: "dan@x.org", policies: ["reader"] });
  await mailbox.letter("dan@x.org", /invited/);
  await eventually(async () => (await counted("sent")) >= 4, "mails are counted");
  assert.equal(await counted("retried"), 1);
  assert.equal(await counted("failed"), 0);
});
