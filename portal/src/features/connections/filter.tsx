import { useTranslation } from "react-i18next";
import { SelectField } from "@/components/select-field";
import type { ConnectionFilter } from "@/lib/api/delivery";
import classes from "./connections.module.css";

interface Props {
  value: ConnectionFilter;
  change: (value: ConnectionFilter) => void;
}

const KINDS = ["server", "client"] as const;

/** Which of them are listed. */
export function Filter({ value: { kind, behind }, change }: Props) {
  const { t } = useTranslation();
  const late = behind ? { behind } : {};
  return (
    <div className={classes.filter}>
      <SelectField
        label={t("connections.kind")}
        value={kind ?? ""}
        onChange={(event) => {
          const chosen = KINDS.find((it) => it === event.target.value);
          change({ ...late, ...(chosen ? { kind: chosen } : {}) });
        }}
      >
        <option value="">{t("connections.allKinds")}</option>
        {KINDS.map((it) => (
          <option key={it} value={it}>
            {t(`connections.kinds.${it}`)}
          </option>
        ))}
      </SelectField>
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={behind === true}
          onChange={(event) =>
            change({
              ...(kind ? { kind } : {}),
              ...(event.target.checked ? { behind: true as const } : {}),
            })
          }
        />
        {t("connections.onlyBehind")}
      </label>
    </div>
  );
}
