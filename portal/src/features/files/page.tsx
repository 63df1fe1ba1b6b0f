import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Page } from "@/components/page";
import { useTitle } from "@/lib/title";
import { Export } from "./export";
import { Featbit } from "./featbit";
import classes from "./files.module.css";
import { Import } from "./import";

/** A project as a file, both ways, and what FeatBit has. */
export function FilesPage() {
  const { t } = useTranslation();
  const of = useParams({ from: "/$organization/$project/settings/files" });
  useTitle(t("files.title"), of.project);
  return (
    <Page title={t("files.title")} help={t("files.help")}>
      <div className={classes.parts}>
        <Export {...of} />
        <Import {...of} />
        <Featbit {...of} />
      </div>
    </Page>
  );
}
