// The JavaScript SDK on a relay: the browser sees what it sees on a server.
import { journeys } from "../harness/journeys.js";
import { Relayed } from "../harness/relayed.js";
import { pageSdk } from "./page-sdk.js";

journeys(pageSdk("js-client-sdk on a relay, streaming", "js.js"), Relayed.start);
