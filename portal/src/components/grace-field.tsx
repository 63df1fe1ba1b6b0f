import { useTranslation } from "react-i18next";
import { GRACES } from "@/lib/grace";
import { SelectField } from "./select-field";

interface Props {
  label: string;
  /** In seconds. */
  grace: number;
  change: (grace: number) => void;
}

/** How long a secret works on that another one takes the place of. */
export function GraceField({ label, grace, change }: Props) {
  const { t } = useTranslation();
  return (
    <SelectField
      label={label}
      value={String(grace)}
      onChange={(event) => change(Number(event.target.value))}
    >
      {GRACES.map(({ seconds, name, count }) => (
        <option key={seconds} value={seconds}>
          {t(`sdkKeys.graces.${name}`, { count })}
        </option>
      ))}
    </SelectField>
  );
}
