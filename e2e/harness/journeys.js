// What every SDK has to see, told once. A test file names its SDK's adapters, and gets all of them.
//
// An adapter is an SDK in one of its modes:
//   name     of the suite
//   kind     of its key: "server" evaluates inside the program, "client" has one user's values
//   cannot   what this SDK cannot do, each with the reason: `away` (be cut off and come back),
//            `missOneOfSeveral` (notice the end of a flag among other changes)
//   open(), close()                     around all journeys
//   connect(server, {user, url, secret})   gives a program that uses the SDK:
//     ready()            waits until the SDK says so
//     isReady()          whether it does
//     values()           of all flags of the demo
//     shows(wanted)      waits for the values of boolean flags: {key: true | false | ABSENT}
//     arrivals(flags)    from now on, the values of these flags as they come, arrival by arrival
//     identify(user)     somebody else uses the program from now on
//     restart(user)      the program ends and begins again, used by somebody else (client keys)
//     track(event, value)
//     refused()          waits until the server has closed or refused, and the SDK has heard it
//     close()
// Users are those of demo.json: {key, name, properties}.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { flagThatIsOn, flagThatNeeds, flagWithSegment } from "./commands.js";
import { expected, flags, users } from "./demo.js";
import { DEMO, Server } from "./server.js";
import { stored } from "./traffic.js";
import { Wire } from "./wire.js";

/** The value of a flag that is not there: whatever default the code gives, it comes back. */
export const ABSENT = null;

const ada = { key: "ada", name: "Ada", properties: { team: "engines" } };
const grace = { key: "grace", name: "Grace", properties: {} };

/** What to ask so that the answers tell whether flags are as wanted: [flag, default, answer]. */
export function questions(wanted) {
  return Object.entries(wanted).flatMap(([flag, value]) =>
    value === ABSENT ? [true, false].map((any) => [flag, any, any]) : [[flag, !value, value]],
  );
}

/** Registers all journeys of an SDK, on a server or on what is started instead. */
export function journeys(sdk, start = Server.start) {
  describe(sdk.name, () => {
    const house = { sdk };
    before(async () => {
      house.server = await start();
      await sdk.open?.();
    });
    after(async () => {
      await sdk.close?.();
      await house.server.stop();
    });
    everyFlag(house);
    changes(house);
    absences(house);
    reports(house);
    refusals(house);
  });
}

/** Connects, waits until it is ready, hands the program over, and closes it. */
async function using({ sdk, server }, options, use) {
  const program = await sdk.connect(server, { user: ada, ...options });
  try {
    await program.ready();
    await use(program);
  } finally {
    await program.close();
  }
}

function everyFlag(house) {
  test("every flag of the demo, for every user", () =>
    using(house, {}, async (program) => {
      for (const name of Object.keys(users)) {
        // Who evaluates inside the program does so for everybody on one connection.
        if (house.sdk.kind === "server") await program.identify(users[name]);
        else await program.restart(users[name]);
        const wanted = Object.keys(flags).map((flag) => [flag, expected(flag, name)]);
        assert.deepEqual(await program.values(), Object.fromEntries(wanted), name);
      }
    }));
}

function changes(house) {
  describe("live", () => {
    const change = (...commands) => house.server.change(...commands);
    let program;
    before(async () => {
      program = await house.sdk.connect(house.server, { user: ada });
      await program.ready();
    });
    after(() => program.close());

    test("a flag is made, turned off and on again", async () => {
      await change(...flagThatIsOn("live"));
      await program.shows({ live: true });
      await change({ kind: "turnOff", flag: "live" });
      await program.shows({ live: false });
      await change({ kind: "turnOn", flag: "live" });
      await program.shows({ live: true });
    });

    test("a segment changes", async () => {
      await change(...flagWithSegment("by-segment", "friends", "grace"));
      await program.shows({ "by-segment": false });
      await change({ kind: "addIncluded", segment: "friends", keys: ["ada"] });
      await program.shows({ "by-segment": true });
      await change({ kind: "addExcluded", segment: "friends", keys: ["ada"] });
      await program.shows({ "by-segment": false });
    });

    test("a flag that another one needs changes", async () => {
      await change(
        ...flagWithSegment("needed", "circle", "ada"),
        ...flagThatNeeds("needy", "needed"),
      );
      await program.shows({ needed: true, needy: true });
      await change({ kind: "removeIncluded", segment: "circle", keys: ["ada"] });
      await program.shows({ needed: false, needy: false });
      await change({ kind: "setTargets", flag: "needed", variation: "needed-true", keys: ["ada"] });
      await program.shows({ needed: true, needy: true });
      await change({ kind: "turnOff", flag: "needed" });
      await program.shows({ needed: false, needy: false });
    });

    test("a change set of three flags is seen whole", async () => {
      const three = ["one", "two", "three"];
      const all = (value) => Object.fromEntries(three.map((flag) => [flag, value]));
      await change(...three.flatMap(flagThatIsOn));
      await program.shows(all(true));
      const arrivals = await program.arrivals(three);
      await change(...three.map((flag) => ({ kind: "turnOff", flag })));
      await program.shows(all(false));
      assert.deepEqual(await arrivals(), [all(false)]);
    });

    test("an archived flag and a deleted one give the code's default", async () => {
      await change(...flagThatIsOn("old"));
      await program.shows({ old: true });
      await change({ kind: "archiveFlag", flag: "old" });
      await program.shows({ old: ABSENT });
      await change({ kind: "restoreFlag", flag: "old" });
      await program.shows({ old: true });
      await change({ kind: "archiveFlag", flag: "old" }, { kind: "deleteFlag", flag: "old" });
      await program.shows({ old: ABSENT });
    });
  });

  test("another user's values, and changes for that user from then on", () =>
    using(house, {}, async (program) => {
      await house.server.change(...flagWithSegment("whose", "hers", "grace"));
      await program.shows({ whose: false });
      await program.identify(grace);
      await program.shows({ whose: true });
      await house.server.change({ kind: "removeIncluded", segment: "hers", keys: ["grace"] });
      await program.shows({ whose: false });
    }));
}

function absences(house) {
  const skip = house.sdk.cannot?.away;

  test("a segment changed while it was away", { skip }, () =>
    cutOff(house, async (program, wire) => {
      await house.server.change(...flagWithSegment("away", "club", "grace"));
      await program.shows({ away: false });
      wire.cut();
      await house.server.change({ kind: "addIncluded", segment: "club", keys: ["ada"] });
      wire.mend();
      await program.shows({ away: true });
    }),
  );

  test("a flag archived while it was away", { skip }, () =>
    cutOff(house, async (program, wire) => {
      await house.server.change(...flagThatIsOn("archived"));
      await program.shows({ archived: true });
      wire.cut();
      await house.server.change({ kind: "archiveFlag", flag: "archived" });
      wire.mend();
      await program.shows({ archived: ABSENT });
    }),
  );

  // A crash: what was acknowledged before it must be there after it.
  for (const signal of ["SIGTERM", "SIGKILL"]) {
    test(`changes before, around and after a restart (${signal})`, { skip }, () =>
      cutOff(house, async (program, wire) => {
        const { server } = house;
        const [kept, gone, late] = ["kept", "gone", "late"].map((it) => `${it}-${signal}`);
        await server.change(...[kept, gone].flatMap(flagThatIsOn));
        await server.change(...flagWithSegment(late, `club-${signal}`, "grace"));
        await program.shows({ [kept]: true, [gone]: true, [late]: false });
        wire.cut();
        await server.change({ kind: "turnOff", flag: kept }, { kind: "archiveFlag", flag: gone });
        await server.down(signal);
        await server.up();
        await server.change({ kind: "addIncluded", segment: `club-${signal}`, keys: ["ada"] });
        wire.mend();
        const missed = house.sdk.cannot?.missOneOfSeveral ? {} : { [gone]: ABSENT };
        await program.shows({ [kept]: false, [late]: true, ...missed });
      }),
    );
  }
}

/** Gives a program whose connection to the server the test can cut. */
async function cutOff(house, use) {
  const wire = await Wire.to(house.server.port);
  try {
    await using(house, { url: wire.url }, (program) => use(program, wire));
  } finally {
    await wire.close();
  }
}

function reports(house) {
  test("an event arrives in the store with its value and its user", () =>
    using(house, { user: { ...ada, key: "reporter" } }, async (program) => {
      await program.track("clicked", 42.5);
      const event = "SELECT user_key, value FROM metric_events WHERE event = ?";
      assert.deepEqual(await stored(house.server, event, "clicked"), [
        { user_key: "reporter", value: 42.5 },
      ]);
      const who = "SELECT name, properties FROM end_users WHERE key = ?";
      const [user] = await stored(house.server, who, "reporter");
      assert.equal(user.name, "Ada");
      assert.deepEqual(JSON.parse(user.properties), [["team", "engines"]]);
    }));

  test("an evaluation arrives in the store", () =>
    using(house, {}, async (program) => {
      await house.server.change(...flagThatIsOn("counted"));
      await program.shows({ counted: true });
      const counts = "SELECT variation FROM counts_minute WHERE flag = ?";
      const [first] = await stored(house.server, counts, "counted");
      assert.equal(first.variation, "counted-true");
    }));
}

function refusals(house) {
  const keys = () => house.server.keys;
  const never = {
    "a secret that was never issued": () => forged(keys()[house.sdk.kind]),
    "a key of the other kind": () => keys()[house.sdk.kind === "server" ? "client" : "server"],
  };
  for (const [what, secret] of Object.entries(never)) {
    test(`${what} is refused`, async () => {
      const program = await house.sdk.connect(house.server, { user: ada, secret: secret() });
      await program.refused();
      assert.equal(await program.isReady(), false);
      await program.close();
    });
  }

  test("a revoked key is refused from that moment on", async () => {
    const route = `/projects/${DEMO.project}/environments/${DEMO.environment}/sdk-keys`;
    const order = { kind: house.sdk.kind, name: "to be revoked" };
    const key = await house.server.api("POST", route, order);
    await using(house, { secret: key.secret }, async (program) => {
      await house.server.api("DELETE", `${route}/${key.id}`);
      await program.refused();
    });
  });
}

/** A secret that looks like one of the server's. */
function forged(issued) {
  return (issued[0] === "A" ? "B" : "A") + issued.slice(1);
}
