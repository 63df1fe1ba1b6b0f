import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import { TextField } from "@/components/field";
import classes from "./environments.module.css";

/** Colours that can be told apart in both themes. */
const COLOURS = [
  "#c8401f",
  "#2a6fb0",
  "#4e7a1e",
  "#8a6a00",
  "#5b4bb5",
  "#a8326e",
  "#0b7a75",
  "#6b7680",
];

interface Props {
  name: string;
  value: string;
  filled: boolean;
  change: (colour: string) => void;
}

/** The colour by which people know an environment, and its pennant as it will be. */
export function Colour({ name, value, filled, change }: Props) {
  const { t } = useTranslation();
  return (
    <fieldset className={classes.colour}>
      <legend>{t("environments.colour")}</legend>
      <div className={classes.swatches}>
        {COLOURS.map((it) => (
          <button
            key={it}
            type="button"
            className={classes.swatch}
            aria-label={it}
            aria-pressed={it === value.toLowerCase()}
            style={{ background: it }}
            onClick={() => change(it)}
          />
        ))}
        <input
          type="color"
          className={classes.any}
          aria-label={t("environments.anyColour")}
          value={/^#[0-9a-f]{6}$/i.test(value) ? value : "#000000"}
          onChange={(event) => change(event.target.value)}
        />
      </div>
      <TextField
        label={t("environments.colourCode")}
        mono
        required
        pattern="#[0-9a-fA-F]{6}"
        value={value}
        onChange={(event) => change(event.target.value)}
      />
      <p className={classes.preview} data-filled={filled || undefined}>
        <EnvironmentName of={{ key: name, name, colour: value, protected: filled }} />
        <span className={classes.description}>{t("environments.preview")}</span>
      </p>
    </fieldset>
  );
}
