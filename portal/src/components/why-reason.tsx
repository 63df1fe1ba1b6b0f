import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";

const CODES = [
  "archived",
  "off",
  "prerequisite",
  "targeted",
  "rule",
  "default",
  "unknownFlag",
] as const;

/** By what, in a few words: where the sentence has no room. */
export function ReasonWords({ reason }: { reason: Schemas["Why"] }) {
  const { t } = useTranslation();
  const code = CODES.find((it) => it === reason.code) ?? "notReleased";
  const { name = "", index = "0" } = reason.params;
  const number = Number(index) + 1;
  if (code === "rule" && name !== "") return t("why.ruleNamed", { number, name });
  return t(`why.by.${code}`, { number });
}
