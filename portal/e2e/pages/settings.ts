import { expect } from "../test.ts";
import { type Shown, heading } from "./shown.ts";

const SETTINGS = "/default/settings";

export const settings: Shown[] = [
  {
    name: "settings",
    path: SETTINGS,
    ready: (page) => expect(page.getByLabel("Days until a flag is stale")).toBeVisible(),
  },
  {
    name: "settings-members",
    path: `${SETTINGS}/members`,
    ready: (page) => expect(page.getByRole("row").getByRole("link").first()).toBeVisible(),
  },
  {
    name: "settings-invite",
    path: `${SETTINGS}/members?invite=true`,
    ready: (page) => expect(page.getByLabel("Where they may switch")).toBeVisible(),
  },
  {
    name: "settings-member",
    path: `${SETTINGS}/members`,
    async ready(page) {
      await page.getByRole("row").getByRole("link").click();
      await expect(page.getByText(/Owner may turn flags on/)).toBeVisible();
    },
  },
  {
    name: "settings-groups",
    path: `${SETTINGS}/groups`,
    ready: (page) => expect(page.getByRole("heading", { name: "No group yet" })).toBeVisible(),
  },
  {
    name: "settings-policies",
    path: `${SETTINGS}/policies`,
    ready: (page) => expect(page.getByRole("link", { name: "Developer" })).toBeVisible(),
  },
  {
    name: "settings-policy-built-in",
    path: `${SETTINGS}/policies/developer`,
    ready: heading("Developer"),
  },
  {
    name: "settings-sign-in",
    path: `${SETTINGS}/sign-in`,
    ready: (page) => expect(page.getByLabel("Issuer")).toBeVisible(),
  },
  {
    name: "settings-profile",
    path: `${SETTINGS}/profile`,
    ready: (page) => expect(page.getByLabel("E-mail")).toBeVisible(),
  },
  {
    name: "settings-security",
    path: `${SETTINGS}/security`,
    ready: (page) => expect(page.getByText("this one")).toBeVisible(),
  },
  {
    name: "settings-second-factor",
    path: `${SETTINGS}/security`,
    async ready(page) {
      await page.getByRole("button", { name: "Set up a second factor" }).click();
      await expect(page.getByRole("img", { name: /QR code/ })).toBeVisible();
    },
  },
  {
    name: "settings-tokens",
    path: `${SETTINGS}/tokens`,
    ready: (page) => expect(page.getByRole("heading", { name: /No access token/ })).toBeVisible(),
  },
  {
    name: "settings-appearance",
    path: `${SETTINGS}/appearance`,
    ready: (page) => expect(page.getByLabel("Rows of lists")).toBeVisible(),
  },
];
