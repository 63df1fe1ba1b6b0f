import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/copy";
import { EditForm } from "@/components/edit-form";
import { TextField } from "@/components/field";
import { useLacking } from "@/components/may";
import { SidePanel } from "@/components/side-panel";
import { Failure, Waiting } from "@/components/states";
import { retentionQuery, setRetention } from "@/lib/api/audit";
import type { Schemas, Tagged } from "@/lib/api/client";
import { useEdits } from "@/lib/edits";
import classes from "./audit.module.css";

/** The days that are proposed: a year, as many rules ask. */
const PRESET = "365";

/** How long the log is kept, and how to make sure that nobody changed it. */
export function Keeping({ organization, close }: { organization: string; close: () => void }) {
  const { t } = useTranslation();
  const found = useQuery(retentionQuery(organization));
  const command = `burgee audit verify --organization ${organization}`;
  return (
    <SidePanel title={t("audit.keeping")} close={close}>
      <div className={classes.panel}>
        <section>
          <h2>{t("audit.retention")}</h2>
          {found.isError && <Failure error={found.error} retry={() => void found.refetch()} />}
          {found.isPending && <Waiting rows={3} />}
          {found.data && <Retention organization={organization} found={found.data} />}
        </section>
        <section>
          <h2>{t("audit.verify")}</h2>
          <p>{t("audit.verifyHelp")}</p>
          <pre className={classes.command}>{command}</pre>
          <div>
            <CopyButton text={command} label={t("audit.copyCommand")} />
          </div>
          <p className={classes.quiet}>{t("audit.verifyMore")}</p>
        </section>
      </div>
    </SidePanel>
  );
}

interface Props {
  organization: string;
  found: Tagged<Schemas["Retention"]>;
}

function Retention({ organization, found }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { queryKey } = retentionQuery(organization);
  const { days } = found.it;
  const edits = useEdits({ forEver: days == null, days: days == null ? PRESET : String(days) });
  const { value, set } = edits;
  const lacking = useLacking(organization, {
    save: { action: "audit.retain", resource: "organization" },
  });
  async function save() {
    const next = value.forEver ? null : Number(value.days);
    queries.setQueryData(queryKey, await setRetention(organization, next, found.tag));
    edits.reset();
  }
  return (
    <EditForm
      command={t("audit.saveRetention")}
      saved={t("audit.savedRetention")}
      save={save}
      dirty={edits.dirty}
      reset={edits.reset}
      again={() => queries.refetchQueries({ queryKey })}
      lacking={lacking.save}
    >
      <fieldset className={classes.choices}>
        <legend className="hidden">{t("audit.retention")}</legend>
        <label>
          <input
            type="radio"
            name="retention"
            checked={value.forEver}
            onChange={() => set({ forEver: true })}
          />
          {t("audit.forEver")}
        </label>
        <label>
          <input
            type="radio"
            name="retention"
            checked={!value.forEver}
            onChange={() => set({ forEver: false })}
          />
          {t("audit.forDays")}
        </label>
      </fieldset>
      {!value.forEver && (
        <TextField
          label={t("audit.days")}
          help={t("audit.daysHelp")}
          type="number"
          min={30}
          max={3660}
          required
          value={value.days}
          onChange={(event) => set({ days: event.target.value })}
        />
      )}
    </EditForm>
  );
}
