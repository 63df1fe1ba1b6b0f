import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The server that `npm run dev` asks. */
const server = process.env["BURGEE_URL"] ?? "http://127.0.0.1:5100";

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) },
    // The client lies beside the portal, and takes what it needs from here.
    preserveSymlinks: true,
  },
  // Replaced in each answer (`crates/server/src/portal.rs`).
  html: { cspNonce: "BURGEE_NONCE" },
  build: {
    outDir: "dist/site",
    emptyOutDir: true,
    manifest: true,
    target: "es2022",
    // A file by itself may be asked for; a data address is not one of ours.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What is loaded first names all further files, so that none is waited for: short names.
    rolldownOptions: {
      output: { chunkFileNames: "assets/[hash].js", assetFileNames: "assets/[hash].[ext]" },
    },
  },
  server: { proxy: { "/api": { target: server, changeOrigin: false } } },
});
