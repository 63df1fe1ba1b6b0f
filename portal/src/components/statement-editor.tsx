import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Statement, actionWords, resourceWords } from "@/lib/access";
import { actionsQuery } from "@/lib/api/people";
import { useFormat } from "@/lib/format";
import { Button } from "./button";
import { Patterns } from "./patterns";
import { useResources } from "./resources";
import { Sentence } from "./sentence";
import classes from "./statement-editor.module.css";

interface Props {
  organization: string;
  statements: Statement[];
  change: (statements: Statement[]) => void;
  /** Of what they are: a policy says of who has it, a token of itself. */
  holder?: "policy" | "token";
}

const NEW: Statement = { effect: "allow", actions: [], resources: [] };

/** What a policy or a token says, each statement a sentence of controls. */
export function StatementEditor({ organization, statements, change, holder = "policy" }: Props) {
  const { t } = useTranslation();
  const replace = (index: number, next: Statement) =>
    change(statements.map((it, at) => (at === index ? next : it)));
  return (
    <>
      <ol className={classes.statements}>
        {statements.map((statement, index) => (
          // A statement has no name but its place.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className={classes.statement} data-effect={statement.effect}>
            <StatementEdit
              organization={organization}
              number={index + 1}
              holder={holder}
              statement={statement}
              change={(next) => replace(index, next)}
            />
            <Button
              small
              look="quiet"
              aria-label={t("policy.removeStatement", { number: index + 1 })}
              onClick={() => change(statements.filter((_, at) => at !== index))}
            >
              ✕
            </Button>
          </li>
        ))}
      </ol>
      {statements.length === 0 && (
        <p className={classes.hint}>
          {t(holder === "token" ? "token.noStatements" : "policy.empty")}
        </p>
      )}
      <div>
        <Button small onClick={() => change([...statements, NEW])}>
          {t("policy.addStatement")}
        </Button>
      </div>
    </>
  );
}

interface StatementProps {
  organization: string;
  number: number;
  holder: "policy" | "token";
  statement: Statement;
  change: (statement: Statement) => void;
}

function StatementEdit({ organization, number, holder, statement, change }: StatementProps) {
  const { t } = useTranslation();
  const { list } = useFormat();
  const actions = useQuery(actionsQuery);
  const resources = useResources(organization, "patterns");
  const names = actions.data ?? [];
  const kinds = [...new Set(names.map((it) => `${it.split(".")[0] ?? ""}.*`))];
  const effect = (
    <select
      aria-label={t("policy.effect", { number })}
      className={classes.effect}
      value={statement.effect}
      onChange={(event) =>
        change({ ...statement, effect: event.target.value === "deny" ? "deny" : "allow" })
      }
    >
      <option value="allow">{t("policy.may")}</option>
      <option value="deny">{t("policy.mayNot")}</option>
    </select>
  );
  return (
    <div className={classes.sentence}>
      <Sentence
        text={t(holder === "token" ? "token.sentence" : "policy.sentence")}
        parts={{
          effect,
          actions: (
            <Patterns
              label={t("policy.actionsOf", { number })}
              placeholder={t("policy.action")}
              values={statement.actions}
              offered={["*.read", ...kinds, ...names, "*"]}
              words={(it) => actionWords(t, it)}
              change={(actions) => change({ ...statement, actions })}
            />
          ),
          resources: (
            <Patterns
              label={t("policy.resourcesOf", { number })}
              placeholder={t("policy.resource")}
              values={statement.resources}
              offered={resources}
              words={(it) => resourceWords(t, list, it)}
              change={(resources) => change({ ...statement, resources })}
            />
          ),
        }}
      />
    </div>
  );
}
