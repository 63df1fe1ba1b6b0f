import { useTranslation } from "react-i18next";
import { useFormat } from "@/lib/format";
import { type Flag, type Serving, labelOf } from "@/lib/model/flag";
import { shifts } from "@/lib/model/moves";
import classes from "./serving.module.css";

interface Props {
  flag: Flag;
  before: Serving;
  after: Serving;
}

/** What another split means for those who have something already. */
export function Shifts({ flag, before, after }: Props) {
  const { t } = useTranslation();
  const { share } = useFormat();
  const name = (id: string) => labelOf(flag.variations.find((it) => it.id === id));
  const found = shifts(before, after);
  if (!found) return <p className={classes.shifts}>{t("flag.splitAnew")}</p>;
  if (found.moved.length === 0) return null;
  return (
    <ul className={classes.shifts}>
      {found.moved.map(({ from, to, share: of }) => (
        <li key={`${from} ${to}`}>
          {t("flag.shareMoves", { share: share(of), from: name(from), to: name(to) })}
        </li>
      ))}
      {found.kept.map(({ from, share: of }) => (
        <li key={from}>{t("flag.shareKeeps", { share: share(of), variation: name(from) })}</li>
      ))}
    </ul>
  );
}
