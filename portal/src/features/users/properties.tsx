import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ConfirmName } from "@/components/confirm-name";
import { useLacking } from "@/components/may";
import { Refused } from "@/components/refused";
import { Empty, Waiting } from "@/components/states";
import { Table } from "@/components/table";
import { deleteProperty, knownPropertiesQuery } from "@/lib/api/user-properties";
import { useTitle } from "@/lib/title";
import { UsersFrame } from "./frame";
import { PropertyRow } from "./property-row";
import { PropertyPanel } from "./property-panel";
import classes from "./users.module.css";

const AT = "/$organization/$project/user-properties";

/** What a project knows of its users' properties: what they mean, and values to choose from. */
export function PropertiesPage() {
  const { t } = useTranslation();
  const { organization, project } = useParams({ from: AT });
  const { property } = useSearch({ from: AT });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [gone, setGone] = useState<string>();
  useTitle(t("users.properties"), project);
  const known = useQuery(knownPropertiesQuery(organization, project));
  const { write } = useLacking(organization, {
    write: { action: "user.write", resource: `project/${project}` },
  });
  const open = (name: string | undefined) =>
    void navigate({
      to: AT,
      params: { organization, project },
      search: name === undefined ? {} : { property: name },
    });
  const items = known.data ?? [];
  const own = items.filter((it) => !it.builtIn);

  return (
    <UsersFrame
      organization={organization}
      project={project}
      actions={
        <Button look="primary" lacking={write} onClick={() => open("")}>
          {t("users.addProperty")}
        </Button>
      }
    >
      <div className={classes.body}>
        <p className={classes.help}>{t("users.propertiesHelp")}</p>
        {known.isError && (
          <Refused
            error={known.error}
            retry={() => void known.refetch()}
            needs={{ action: "project.read", resource: `project/${project}` }}
          />
        )}
        {known.isPending && <Waiting rows={4} />}
        {known.data && (
          <Table
            label={t("users.properties")}
            heads={[t("users.property"), t("users.means"), t("users.presets"), ""]}
          >
            {items.map((it) => (
              <PropertyRow
                key={it.name}
                of={it}
                lacking={write}
                edit={() => open(it.name)}
                remove={() => setGone(it.name)}
              />
            ))}
          </Table>
        )}
        {known.data && own.length === 0 && (
          <div className={classes.inset}>
            <Empty title={t("users.noProperties")}>
              <p>{t("users.noPropertiesHelp")}</p>
              <Button lacking={write} onClick={() => open("country")}>
                {t("users.firstProperty")}
              </Button>
            </Empty>
          </div>
        )}
      </div>
      {property !== undefined && (
        <PropertyPanel
          key={property}
          organization={organization}
          project={project}
          name={property}
          names={known.data?.map((it) => it.name)}
          close={() => open(undefined)}
        />
      )}
      {gone !== undefined && (
        <ConfirmName
          name={gone}
          command={t("users.deleteProperty", { name: gone })}
          run={async () => {
            await deleteProperty(organization, { project, name: gone });
            await queries.invalidateQueries({ queryKey: ["userProperties", organization] });
            void queries.invalidateQueries({ queryKey: ["properties", organization] });
          }}
          close={() => setGone(undefined)}
        >
          <p>{t("users.deletePropertyWhat")}</p>
        </ConfirmName>
      )}
    </UsersFrame>
  );
}
