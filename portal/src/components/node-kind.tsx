import { useTranslation } from "react-i18next";

interface Node {
  node: string;
  name: string;
  kind: string;
  parent?: string | null | undefined;
  isThis: boolean;
}

/** What a node is, and what feeds it. */
export function NodeKind({ of, among }: { of: Node; among: Node[] }) {
  const { t } = useTranslation();
  const { kind, parent, isThis } = of;
  if (kind !== "relay") return t(isThis ? "delivery.thisServer" : "delivery.server");
  if (parent == null) return t("delivery.relayByNats");
  const feeds = among.find((it) => it.node === parent)?.name;
  return feeds === undefined ? t("delivery.relay") : t("delivery.relayVia", { node: feeds });
}
