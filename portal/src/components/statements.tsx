import { useTranslation } from "react-i18next";
import { type Statement, actionWords, resourceWords } from "@/lib/access";
import { useFormat } from "@/lib/format";
import { Sentence } from "./sentence";
import classes from "./statements.module.css";

/** What a policy says, a sentence each; the numbers are those that answers name. */
export function Statements({ of }: { of: Statement[] }) {
  return (
    <ol className={classes.list}>
      {of.map((statement, index) => (
        // Statements have no names: their place is what answers say.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} className={classes.statement} data-effect={statement.effect}>
          <StatementWords of={statement} />
        </li>
      ))}
    </ol>
  );
}

function StatementWords({ of }: { of: Statement }) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const actions = (
    <strong title={of.actions.join(", ")}>
      {list(of.actions.map((it) => actionWords(t, it)))}
    </strong>
  );
  const resources = (
    <span title={of.resources.join(", ")}>
      {list(of.resources.map((it) => resourceWords(t, list, it)))}
    </span>
  );
  return (
    <Sentence
      text={t(of.effect === "allow" ? "policy.allows" : "policy.denies")}
      parts={{ actions, resources }}
    />
  );
}
