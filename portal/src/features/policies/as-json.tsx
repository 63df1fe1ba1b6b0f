import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AreaField } from "@/components/field";
import type { Statement } from "@/lib/access";
import { readStatements } from "./read";

interface Props {
  statements: Statement[];
  change: (statements: Statement[]) => void;
  readOnly: boolean;
}

/** The statements as the API has them, for who writes them faster than they click. */
export function AsJson({ statements, change, readOnly }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string>();
  const text = typed ?? JSON.stringify(statements, undefined, 2);
  const wrong = typed !== undefined && readStatements(typed) === undefined;
  return (
    <AreaField
      label={t("policy.json")}
      help={t("policy.jsonHelp")}
      error={wrong ? t("policy.jsonWrong") : undefined}
      mono
      spellCheck={false}
      readOnly={readOnly}
      rows={Math.min(30, text.split("\n").length + 1)}
      value={text}
      onChange={(event) => {
        setTyped(event.target.value);
        const read = readStatements(event.target.value);
        if (read) change(read);
      }}
    />
  );
}
