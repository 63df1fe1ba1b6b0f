import { useTranslation } from "react-i18next";
import { useLacking } from "@/components/may";
import type { Connection } from "@/lib/delivery";
import classes from "./connections.module.css";

interface Props {
  organization: string;
  /** The environment, as policies name it. */
  resource: string;
  items: Connection[];
}

/** Why no address is shown: somebody grants it, or this server shows none to anybody. */
export function Hidden({ organization, resource, items }: Props) {
  const { t } = useTranslation();
  const lacking = useLacking(organization, { address: { action: "user.read", resource } });
  if (items.some((it) => it.address != null)) return null;
  return (
    <p className={classes.note}>
      {t("connections.noAddresses")} {lacking.address ?? t("connections.hidden")}
    </p>
  );
}
