import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fitting } from "@/components/options";
import { Suggest } from "@/components/suggest";
import type { Condition } from "@/lib/model/flag";
import { IN_SEGMENT, NOT_IN_SEGMENT } from "@/lib/model/operators";
import type { UsersPlace } from "@/lib/api/known";
import { nextPart } from "./next-part";
import classes from "./rule.module.css";
import { useProperties } from "./use-properties";

interface Props {
  place: UsersPlace;
  add: (condition: Condition) => void;
  /** Whether segments are offered: rules of segments name none. */
  segments?: boolean;
}

/** The place of one more condition: a property that is typed there begins it. */
export function NewCondition({ place, add, segments = true }: Props) {
  const { t } = useTranslation();
  const properties = useProperties(place);
  const [text, setText] = useState("");

  function begin(property: string) {
    setText("");
    if (property.trim() === "") return;
    if (property === IN_SEGMENT || property === NOT_IN_SEGMENT) {
      add({ property, op: null, value: "[]" });
    } else add(properties.named({ property: "", op: "IsOneOf", value: "[]" }, property.trim()));
  }
  const options = [
    ...properties.options,
    ...(segments
      ? [
          { value: IN_SEGMENT, label: t("flag.inSegment") },
          { value: NOT_IN_SEGMENT, label: t("flag.notInSegment") },
        ]
      : []),
  ];
  // The condition that was begun stands where this stood: its value is what comes next.
  const toValue = (input: HTMLInputElement) => {
    const sentence = input.closest("[data-sentence]");
    requestAnimationFrame(() => {
      const values = sentence?.querySelectorAll<HTMLElement>('[data-part="value"]');
      values?.[values.length - 1]?.focus();
    });
  };

  return (
    <Suggest
      label={t("rule.addCondition")}
      placeholder={t("rule.addCondition")}
      part="more"
      className={`${classes.control} ${classes.property}`}
      text={text}
      onText={setText}
      options={fitting(options, text)}
      eager
      onPick={begin}
      onPicked={toValue}
      onEnter={(input) => {
        if (text.trim() === "") nextPart(input);
        else {
          begin(text);
          toValue(input);
        }
      }}
      onLeave={() => begin(text)}
    />
  );
}
