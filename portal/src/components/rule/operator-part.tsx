import { useTranslation } from "react-i18next";
import { Combobox } from "@/components/combobox";
import type { Option } from "@/components/options";
import { nextPart } from "./next-part";
import classes from "./rule.module.css";

interface Props {
  value: string;
  options: Option[];
  change: (value: string) => void;
}

/** How a condition compares. */
export function OperatorPart({ value, options, change }: Props) {
  const { t } = useTranslation();
  return (
    <Combobox
      strict
      label={t("rule.operator")}
      part="op"
      className={`${classes.control} ${classes.op}`}
      options={options}
      value={value}
      change={change}
      next={(from) => nextPart(from)}
    />
  );
}
