// The specification's flags (`test-flags.json`) as Burgee's: a variant is a variation with the same
// id, and what decides for whom is a rule.
import { readFileSync } from "node:fs";

const file = new URL("specification/test-flags.json", import.meta.url);

/** The expressions of `contextEvaluator`, which are in CEL, as conditions; all of them have to hold. */
const CONDITIONS = {
  "email == 'ballmer@macrosoft.com' ? 'zero' : ''": {
    email: ["Equal", "ballmer@macrosoft.com"],
  },
  "!customer && email == 'ballmer@macrosoft.com' && age > 10 ? 'internal' : ''": {
    customer: ["IsFalse", ""],
    email: ["Equal", "ballmer@macrosoft.com"],
    age: ["BiggerThan", "10"],
  },
};

/** `evaluation.feature` asks for a flag that `test-flags.json` has no more. */
const CONTEXT_AWARE = {
  variants: { internal: "INTERNAL", external: "EXTERNAL" },
  defaultVariant: "external",
};
const SOMEBODY = {
  fn: ["Equal", "Sulisław"],
  ln: ["Equal", "Świętopełk"],
  age: ["Equal", "29"],
  customer: ["IsFalse", ""],
};

/** The commands that make all of them in an environment. */
export function commands(environment) {
  const made = Object.entries(JSON.parse(readFileSync(file, "utf8")))
    // No scenario asks for one without a default variant; Burgee's always have a default rule.
    .filter(([, definition]) => definition.defaultVariant)
    .flatMap(([key, definition]) => {
      const expression = definition.contextEvaluator;
      const rule = expression && { holds: conditions(expression), gives: variantOf(expression) };
      return flag(key, definition, rule);
    });
  const rule = { holds: SOMEBODY, gives: "internal" };
  return [...made, ...flag("context-aware", CONTEXT_AWARE, rule)].map((command) =>
    command.kind === "createFlag" ? command : { environment, ...command },
  );
}

function flag(key, { variants, defaultVariant, disabled }, rule) {
  const variations = Object.entries(variants).map(([id, value]) => ({
    id,
    value: text(key, value),
  }));
  return [
    { kind: "createFlag", flag: key, type: typeOf(variants[defaultVariant]), variations },
    ...(disabled ? [] : [{ kind: "turnOn", flag: key }]),
    { kind: "setDefaultRule", flag: key, variation: defaultVariant },
    ...(rule ? [{ kind: "setRules", flag: key, rules: [asRule(rule)] }] : []),
  ];
}

function asRule({ holds, gives }) {
  const conditions = Object.entries(holds).map(([property, [op, value]]) => ({
    property,
    op,
    value,
  }));
  return { conditions, variation: gives };
}

function conditions(expression) {
  const found = CONDITIONS[expression];
  if (!found) throw new Error(`not written as conditions yet: ${expression}`);
  return found;
}

const variantOf = (expression) => /\? '(.*?)'/.exec(expression)[1];

const typeOf = (value) => (typeof value === "object" ? "json" : typeof value);

/** A value as a variation has it. `0.0` of the file is `0` once it is read. */
function text(key, value) {
  if (typeof value === "string") return value;
  const isFloat = key.startsWith("float-") && Number.isInteger(value);
  return isFloat ? value.toFixed(1) : JSON.stringify(value);
}
