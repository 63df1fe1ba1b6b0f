/** What Mantine's parts take from `theme.css`. */
import { type CSSVariablesResolver, createTheme } from "@mantine/core";

export const theme = createTheme({
  fontFamily: "var(--sans)",
  fontFamilyMonospace: "var(--mono)",
  defaultRadius: 4,
  cursorType: "pointer",
  respectReducedMotion: true,
  fontSizes: { xs: "12px", sm: "14px", md: "14px", lg: "16px", xl: "20px" },
  components: {
    Modal: { defaultProps: { overlayProps: { backgroundOpacity: 0.25 } } },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.25 } } },
  },
  shadows: { md: "0 4px 16px rgb(20 32 43 / 16%)", xl: "0 8px 32px rgb(20 32 43 / 20%)" },
});

const colours = {
  "--mantine-color-body": "var(--surface)",
  "--mantine-color-text": "var(--ink)",
  "--mantine-color-default": "var(--surface)",
  "--mantine-color-default-color": "var(--ink)",
  "--mantine-color-default-hover": "var(--hover)",
  "--mantine-color-default-border": "var(--border)",
  "--mantine-color-dimmed": "var(--muted)",
  "--mantine-color-placeholder": "var(--muted)",
  "--mantine-color-error": "var(--danger)",
  "--mantine-color-anchor": "var(--focus)",
  "--mantine-primary-color-filled": "var(--ink)",
  "--mantine-primary-color-contrast": "var(--paper)",
};

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: colours,
  dark: colours,
});
