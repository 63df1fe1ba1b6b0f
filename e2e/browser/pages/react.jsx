// The React SDK: the page shows every flag's value in an element named after the flag.
import { asyncWithFbProvider, useFbClient, useFlags } from "@featbit/react-client-sdk";
import { createRoot } from "react-dom/client";

window.show = async ({ sdkKey, url, user, flags }) => {
  const Provider = await asyncWithFbProvider({
    options: { sdkKey, user, streamingUri: url.replace("http", "ws"), eventsUri: url },
  });
  createRoot(document.getElementById("root")).render(
    <Provider>
      <Values flags={flags} />
    </Provider>,
  );
};

function Values({ flags }) {
  const values = useFlags();
  window.client = useFbClient();
  return flags.map((flag) => (
    <p key={flag} id={flag}>
      {JSON.stringify(values[flag])}
    </p>
  ));
}
