import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { pairTo, presetPair, readPair, writtenPair } from "@/lib/pairs";
import { useFlag } from "./use-flag";

/** To the flag side by side: what the environment before this one has, and this one. */
export function CompareLink() {
  const { t } = useTranslation();
  const { organization, project, key, environments } = useFlag();
  const { environment, pair: text = "" } = useParams({ strict: false });
  const all = environments.data ?? [];
  const here = environment === undefined ? presetPair(all) : pairTo(environment, all);
  // On the page itself it stays where it is.
  const pair = readPair(text, all) ?? here;
  if (!pair) return null;
  return (
    <Link
      to="/$organization/$project/flags/$flag/compare/$pair"
      params={{ organization, project, flag: key, pair: writtenPair(pair) }}
    >
      {t("shell.compare")}
    </Link>
  );
}
