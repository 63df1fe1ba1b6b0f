import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Anchored } from "@/components/anchored";
import { Button } from "@/components/button";
import { CopyChoices } from "@/components/copy-as";
import type { Schemas } from "@/lib/api/client";
import classes from "./menus.module.css";
import type { RowShared } from "./row";

interface Props extends RowShared {
  anchor: HTMLElement;
  item: Schemas["IndexedFlagView"];
  close: () => void;
}

/** What can be done with one flag of the list. */
export function RowMenu(props: Props) {
  const { organization, project, environments, whole, anchor, item, archive, close } = props;
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/$organization/$project/flags" });
  const flag = item.key;
  const place = environments[0] ? `/${environments[0].key}` : "";
  return (
    <Anchored anchor={anchor} title={flag} close={close}>
      <div className={classes.buttons}>
        <Button
          small
          data-autofocus
          onClick={() => {
            close();
            void navigate({ to: ".", search: (now) => ({ ...now, create: true, like: flag }) });
          }}
        >
          {t("list.duplicate")}
        </Button>
        <Button
          small
          title="e"
          onClick={() => {
            archive([item]);
            close();
          }}
        >
          {t(item.state === "live" ? "flags.archive" : "list.restore")}
        </Button>
        {whole > environments.length && (
          <Button small onClick={() => props.open({ kind: "others", anchor, flag })}>
            {t("list.allEnvironments")}
          </Button>
        )}
      </div>
      <h3 className={classes.heading}>{t("copy.as")}</h3>
      <CopyChoices
        of={{
          organization,
          link: `/${organization}/${project}/flags/${flag}${place}`,
          call: { path: `/api/v1/projects/${project}/flags/${flag}` },
          flags: { project, keys: [flag] },
        }}
        done={close}
      />
    </Anchored>
  );
}
