import "./mantine.css";
import "./theme.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { startLanguage } from "@/i18n";
import { useStore } from "@/lib/store";
import * as chosen from "@/lib/theme";
import { queries } from "./queries";
import { router } from "./router";
import { theme, variables } from "./theme";

// What inserts style elements says that it is allowed to.
const meta = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]");
const nonce = meta?.nonce ?? "";
setNonce(nonce);

function App() {
  const scheme = useStore(chosen.theme);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      getStyleNonce={() => nonce}
      {...(scheme === "system" ? { defaultColorScheme: "auto" } : { forceColorScheme: scheme })}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

// The page's data is asked for while the language is on its way.
void router.load();
await startLanguage();
const root = document.querySelector("#root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
