import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: [".venv/"] },
  js.configs.recommended,
  { languageOptions: { globals: { ...globals.node } } },
  { files: ["browser/pages/**"], languageOptions: { globals: { ...globals.browser } } },
];
