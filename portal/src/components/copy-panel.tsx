import { useTranslation } from "react-i18next";
import type { Copied } from "@/lib/copy-as";
import { Anchored } from "./anchored";
import { CopyChoices } from "./copy-choices";

interface Props {
  of: Copied;
  anchor: HTMLElement;
  close: () => void;
}

/** The popover of `CopyAs`. */
export function CopyPanel({ of, anchor, close }: Props) {
  const { t } = useTranslation();
  return (
    <Anchored anchor={anchor} title={t("copy.as")} close={close}>
      <CopyChoices of={of} done={close} />
    </Anchored>
  );
}
