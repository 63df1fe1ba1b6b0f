import { useTranslation } from "react-i18next";
import { Table } from "@/components/table";
import type { Schemas } from "@/lib/api/client";
import { useFormat } from "@/lib/format";
import type { Previewed } from "@/lib/user-preview";
import classes from "./users.module.css";

/** The first users of a file, and what is wrong at its beginning. */
export function UploadPreview({ of }: { of: Previewed }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  return (
    <div className={classes.preview}>
      <h3>{t(of.kind === "csv" ? "users.isCsv" : "users.isLines")}</h3>
      {of.users.length > 0 && (
        <Table
          label={t("users.preview")}
          heads={[t("users.key"), t("users.name"), t("users.properties")]}
        >
          {of.users.map((it) => (
            <tr key={it.key}>
              <td className={classes.key}>
                <bdi>{it.key}</bdi>
              </td>
              <td>
                <bdi>{it.name}</bdi>
              </td>
              <td className={classes.quiet}>
                {Object.entries(it.properties)
                  .map(([name, value]) => `${name} ${value}`)
                  .join(" · ")}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {of.more && <p className={classes.quiet}>{t("users.previewMore")}</p>}
      {of.wrong.length > 0 && (
        <ul className={classes.wrong}>
          {of.wrong.slice(0, 10).map(({ line, code }) => (
            <li key={line}>
              {t("users.wrongLine", { line: number(line), what: t(`users.wrong.${code}`) })}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** What became of the file. */
export function Uploaded({ of }: { of: Schemas["Uploaded"] }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  return (
    <div role="status" className={classes.preview}>
      <p>
        <strong>{t("users.written", { count: of.written, users: number(of.written) })}</strong>
      </p>
      {of.refused > 0 && (
        <>
          <p>{t("users.refused", { count: of.refused, lines: number(of.refused) })}</p>
          <ul className={classes.wrong}>
            {of.errors.map(({ line, code, detail }) => (
              <li key={line}>
                {t("users.wrongLine", {
                  line: number(line),
                  what: t(`users.wrong.${code}` as "users.wrong.json", { defaultValue: detail }),
                })}
              </li>
            ))}
          </ul>
          {of.refused > of.errors.length && (
            <p className={classes.quiet}>
              {t("users.moreRefused", { count: of.refused - of.errors.length })}
            </p>
          )}
        </>
      )}
    </div>
  );
}
