import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Wrong } from "@/components/states";
import { type Format, exportProject } from "@/lib/api/projects";
import { saveFile } from "@/lib/save-file";
import classes from "./files.module.css";

interface Props {
  organization: string;
  project: string;
}

const FORMATS = [
  { format: "yaml", type: "application/yaml" },
  { format: "json", type: "application/json" },
] as const;

/** Flags, segments and environments with all targeting, as one file. */
export function Export({ organization, project }: Props) {
  const { t } = useTranslation();
  const saving = useMutation({
    mutationFn: async (format: Format) => {
      const text = await exportProject(organization, project, format);
      const type = FORMATS.find((it) => it.format === format)?.type ?? "";
      saveFile(`${project}.${format}`, new Blob([text], { type }));
    },
  });
  return (
    <section className={classes.part}>
      <h2>{t("files.export")}</h2>
      <p className={classes.quiet}>{t("files.exportHelp")}</p>
      <div className={classes.buttons}>
        {FORMATS.map(({ format }) => (
          <Button
            key={format}
            busy={saving.isPending && saving.variables === format}
            onClick={() => saving.mutate(format)}
          >
            {t(`files.exportAs.${format}`)}
          </Button>
        ))}
      </div>
      <Wrong error={saving.error} />
    </section>
  );
}
