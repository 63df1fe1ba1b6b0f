// The React SDK: a flag's value is what a component has on the page.
import { asyncWithFbProvider, useFbClient, useFlags } from "@featbit/react-client-sdk";
import { createRoot } from "react-dom/client";
import { options } from "./options.js";

window.connect = async (settings) => {
  const Provider = await asyncWithFbProvider({ options: options(settings) });
  const root = document.getElementById("root");
  await new Promise((shown) => {
    createRoot(root).render(
      <Provider>
        <Values ref={shown} />
      </Provider>,
    );
  });
  // What has gone away is an empty text to this SDK's hooks.
  window.sdk.value = (flag, _, missing) => {
    const value = JSON.parse(root.textContent)[flag];
    return value === undefined || value === "" ? missing : value;
  };
};

function Values({ ref }) {
  const client = useFbClient();
  window.sdk ??= {
    isReady: () => client.initialized(),
    identify: (user) => client.identify(user),
    track: (event, value) => client.track(event, value),
  };
  const flags = useFlags();
  const values = Object.keys(flags).map((flag) => [flag, flags[flag]]);
  return <output ref={ref}>{JSON.stringify(Object.fromEntries(values))}</output>;
}
