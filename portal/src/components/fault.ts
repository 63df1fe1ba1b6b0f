import type { TFunction } from "i18next";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** What its form asks of a field and it does not have, in words of ours. */
function faultOf(t: TFunction, field: Field): string {
  const { validity } = field;
  const asked = (name: string) => field.getAttribute(name) ?? "";
  if (validity.valueMissing) return t("field.missing");
  if (validity.tooShort) return t("field.short", { min: asked("minlength") });
  if (field.type === "number") {
    return asked("min") === "" || asked("max") === ""
      ? t("field.number")
      : t("field.between", { min: asked("min"), max: asked("max") });
  }
  // A day of a filter may lie anywhere; what is planned lies ahead.
  if (field.type === "datetime-local" && validity.rangeUnderflow) return t("field.moment");
  if (field.type === "url") return t("field.address");
  return field.title || t("field.form");
}

/** The first of a form that is wrong: there the focus goes. */
const isFirst = (field: Field): boolean =>
  [...(field.form?.elements ?? [])].find(
    (it) => it.matches("input, textarea, select") && it.matches(":invalid"),
  ) === field;

/**
 * What the browser finds wrong when a form is sent, said below the field like any other fault and
 * not in a bubble of the browser's. Gone with the next key; `value`: gone where that changes.
 */
export function useFault(value: unknown) {
  const { t } = useTranslation();
  const [found, setFound] = useState<{ text: string; value: unknown }>();
  return {
    fault: found !== undefined && Object.is(found.value, value) ? found.text : undefined,
    watch: {
      onInvalid: (event: FormEvent<Field>) => {
        // No bubble.
        event.preventDefault();
        const field = event.currentTarget;
        setFound({ text: faultOf(t, field), value });
        if (isFirst(field)) field.focus();
      },
      onInput: () => setFound(undefined),
    },
  };
}
