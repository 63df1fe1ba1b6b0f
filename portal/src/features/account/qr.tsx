import { useTranslation } from "react-i18next";
import { encode } from "uqr";
import classes from "./account.module.css";

/** A text for a camera. Dark on light in both themes: not every reader knows the other way. */
export function Qr({ text }: { text: string }) {
  const { t } = useTranslation();
  const { size, data } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join("");
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={t("account.qr")}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
