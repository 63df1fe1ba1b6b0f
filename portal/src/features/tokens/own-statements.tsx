import { useTranslation } from "react-i18next";
import { StatementEditor } from "@/components/statement-editor";
import type { Statement } from "@/lib/access";
import classes from "./tokens.module.css";

interface Props {
  organization: string;
  statements: Statement[];
  change: (statements: Statement[]) => void;
}

/** What a service token may do besides its policies, for which no policy is worth its name. */
export function OwnStatements({ organization, statements, change }: Props) {
  const { t } = useTranslation();
  return (
    <fieldset className={classes.statements}>
      <legend>{t("token.statements")}</legend>
      <StatementEditor
        organization={organization}
        holder="token"
        statements={statements}
        change={change}
      />
    </fieldset>
  );
}
