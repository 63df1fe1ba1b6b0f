import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { type Granted, Grants } from "@/components/grants";
import { useLacking } from "@/components/may";
import { Sentence } from "@/components/sentence";
import type { Schemas } from "@/lib/api/client";
import { policiesQuery } from "@/lib/api/people";
import { useFormat } from "@/lib/format";
import { PLAIN, PROTECTED, type Preset, environmentKeys, switchKey } from "./presets";
import classes from "./members.module.css";

interface Props {
  organization: string;
  chosen: Preset;
  choose: (preset: Preset) => void;
  environment: string | undefined;
  environments: Schemas["EnvironmentView"][][];
  setEnvironment: (key: string) => void;
  granted: Granted;
  setGranted: (granted: Granted) => void;
}

/** What somebody may do: sentences to choose from, or policies and groups by hand. */
export function PresetChoice(props: Props) {
  const { organization, chosen, choose, environment, environments, granted, setGranted } = props;
  const { t } = useTranslation();
  const { list } = useFormat();
  const policies = useQuery(policiesQuery(organization));
  const lacking = useLacking(organization, {
    write: { action: "policy.write", resource: "policy/*" },
  });
  const keys = environmentKeys(environments);
  const marked = environments.flat().filter((it) => it.protected);
  const there = policies.data?.some((it) => it.key === switchKey(environment ?? ""));
  const option = (preset: Preset, words: ReactNode, help?: string) => (
    <Option key={preset} chosen={chosen === preset} choose={() => choose(preset)} help={help}>
      {words}
    </Option>
  );
  const select = (
    <select
      aria-label={t("people.switchIn")}
      value={environment}
      onChange={(event) => {
        props.setEnvironment(event.target.value);
        choose("switch");
      }}
    >
      {marked.length > 0 && <option value={PROTECTED}>{t("people.protected")}</option>}
      {keys.map((it) => (
        <option key={it}>{it}</option>
      ))}
    </select>
  );
  return (
    <fieldset className={classes.presets}>
      <legend>{t("people.theyMay")}</legend>
      {environment !== undefined &&
        option(
          "switch",
          <Sentence text={t("people.preset.switch")} parts={{ environment: select }} />,
          there
            ? undefined
            : (lacking.write ??
                (environment === PROTECTED
                  ? t("people.protectedAre", {
                      keys: list([...new Set(marked.map((it) => it.key))]),
                    })
                  : t("people.switchMakes"))),
        )}
      {PLAIN.map((it) => option(it, t(`people.preset.${it}`)))}
      {option("own", t("people.preset.own"))}
      {chosen === "own" && (
        <Grants organization={organization} granted={granted} change={setGranted} />
      )}
    </fieldset>
  );
}

interface OptionProps {
  chosen: boolean;
  choose: () => void;
  help: string | undefined;
  children: ReactNode;
}

function Option({ chosen, choose, help, children }: OptionProps) {
  const id = useId();
  return (
    <label className={classes.preset} htmlFor={id}>
      <input id={id} type="radio" name="preset" checked={chosen} onChange={choose} />
      <span>
        {children}
        {help && <small>{help}</small>}
      </span>
    </label>
  );
}
