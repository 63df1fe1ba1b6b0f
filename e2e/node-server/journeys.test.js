// The Node SDK, which evaluates inside the program.
import { journeys } from "../harness/journeys.js";
import { nodeSdk } from "../harness/node-sdk.js";

journeys(nodeSdk("node-server-sdk, streaming", false));
journeys(nodeSdk("node-server-sdk, polling", true));
