import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import { Picker } from "@/components/picker";
import { environmentsQuery, flagQuery } from "@/lib/api/queries";

interface Props {
  organization: string;
  project: string;
  anchor: HTMLElement;
  flag: string;
  choose: (environment: string) => void;
  close: () => void;
}

/** What a flag does in all environments, however many there are. */
export function Others({ organization, project, anchor, flag, choose, close }: Props) {
  const { t } = useTranslation();
  const environments = useQuery(environmentsQuery(organization, project)).data ?? [];
  const detail = useQuery(flagQuery(organization, project, flag)).data;
  const on = environments.filter((it) => detail?.environments[it.key]?.isEnabled);
  const state = (key: string) => {
    const targeting = detail?.environments[key];
    return targeting ? (targeting.isEnabled ? "on" : "off") : "notReleased";
  };
  // Where it is on is what is asked for.
  const order = [...on, ...environments.filter((it) => !on.includes(it))];
  return (
    <Picker
      anchor={anchor}
      title={t("flags.elsewhereOf", { flag, on: on.length, all: environments.length })}
      close={close}
      chosen={on.map((it) => it.key)}
      choices={order.map((it) => ({
        key: it.key,
        text: `${it.key} ${it.name}`,
        look: <EnvironmentName of={it} />,
        more: detail && t(`flags.${state(it.key)}`),
      }))}
      choose={choose}
      multiple
    />
  );
}
