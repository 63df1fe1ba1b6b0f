import { useTranslation } from "react-i18next";
import { Tester } from "@/components/tester";
import type { Statement } from "@/lib/access";
import classes from "./policies.module.css";
import { WhoHas } from "./who-has";

interface Props {
  organization: string;
  policy: string;
  /** Its statements, where they are edited and not saved. */
  edited?: Statement[] | undefined;
}

/** Who has it, and what comes of it. */
export function Below({ organization, policy, edited }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <section className={classes.section} aria-label={t("policy.who")}>
        <h2>{t("policy.who")}</h2>
        <WhoHas organization={organization} policy={policy} />
      </section>
      <section className={classes.section} aria-label={t("tester.titleAny")}>
        <h2>{t("tester.titleAny")}</h2>
        {edited && <p className={classes.hint}>{t("tester.edited")}</p>}
        <Tester organization={organization} policy={policy} edited={edited} />
      </section>
    </>
  );
}
