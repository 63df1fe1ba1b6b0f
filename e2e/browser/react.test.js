// The React SDK in a real browser: what its hooks show.
import { journeys } from "../harness/journeys.js";
import { pageSdk } from "./page-sdk.js";

// When several flags change at once, js-client-sdk announces the list of their keys in a list, which
// these hooks take for one key.
const cannot = { missOneOfSeveral: "its hooks go on showing the value of a flag that is gone" };
journeys(pageSdk("react-client-sdk, streaming", "react.jsx", { cannot }));
journeys(pageSdk("react-client-sdk, polling", "react.jsx", { poll: true }));
