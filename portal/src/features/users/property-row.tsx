import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Schemas } from "@/lib/api/client";
import classes from "./users.module.css";

/** So many values are named. */
const NAMED = 6;

interface Props {
  of: Schemas["UserPropertyView"];
  lacking: string | undefined;
  edit: () => void;
  remove: () => void;
}

/** One property: what it means, and values to choose from. */
export function PropertyRow({ of: it, lacking, edit, remove }: Props) {
  const { t } = useTranslation();
  const more = it.presets.length > NAMED;
  return (
    <tr>
      <td className={classes.key}>
        <bdi>{it.name}</bdi>
      </td>
      <td>
        {it.builtIn
          ? t(it.name === "keyId" ? "users.meansKey" : "users.meansName")
          : it.description}
      </td>
      <td className={classes.quiet}>
        {it.builtIn ? (
          t("users.builtIn")
        ) : (
          <>
            <bdi>
              {it.presets
                .slice(0, 6)
                .map((one) => one.value)
                .join(", ")}
            </bdi>{" "}
            {more && "… "}
            {it.presetsOnly && t("users.only")}
          </>
        )}
      </td>
      <td className={classes.rowActions}>
        {!it.builtIn && (
          <>
            <Button
              small
              lacking={lacking}
              aria-label={t("users.editProperty", { name: it.name })}
              onClick={edit}
            >
              {t("users.edit")}
            </Button>
            <Button
              small
              look="quiet"
              lacking={lacking}
              aria-label={t("users.deleteProperty", { name: it.name })}
              onClick={remove}
            >
              ✕
            </Button>
          </>
        )}
      </td>
    </tr>
  );
}
