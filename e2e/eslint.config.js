import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: [".venv/"] },
  js.configs.recommended,
  { languageOptions: { globals: { ...globals.node } } },
  {
    files: ["browser/**", "openfeature-js/**"],
    languageOptions: {
      globals: { ...globals.browser },
      parserOptions: { ecmaFeatures: { jsx: true } },
    },
  },
];
