// The Node SDK on a relay: it sees what it sees on a server.
import { journeys } from "../harness/journeys.js";
import { nodeSdk } from "../harness/node-sdk.js";
import { Relayed } from "../harness/relayed.js";

journeys(nodeSdk("node-server-sdk on a relay, streaming", false), Relayed.start);
journeys(nodeSdk("node-server-sdk on a relay, polling", true), Relayed.start);
