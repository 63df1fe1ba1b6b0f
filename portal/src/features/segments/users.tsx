import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Against } from "@/components/against";
import { KeyList } from "@/components/key-list";
import { useLacking } from "@/components/may";
import { Warnings } from "@/components/warnings";
import { settingsQuery } from "@/lib/api/queries";
import type { Attendable } from "@/lib/draft/attended";
import { resourceOf, scopeOfPlace } from "@/lib/model/segment";
import { environmentsToShow } from "@/lib/pinned";
import { Audience } from "./audience";
import { Rules } from "./rules";
import classes from "./segments.module.css";
import { UsedBy } from "./used-by";
import { editSegment, useSegment } from "./use-segment";

/** Whom it takes in: by key, by rules, and whom not. */
export function SegmentUsers() {
  const { t } = useTranslation();
  const { organization, project, key, place, detail, environments, server, view } = useSegment();
  const settings = useQuery(settingsQuery(organization));
  const resource = resourceOf(place, key);
  const lacking = useLacking(organization, {
    included: { action: "segment.setIncluded", resource },
    excluded: { action: "segment.setExcluded", resource },
  });
  if (!server || !view || !detail.data || !environments.data) return null;
  const counted =
    place.environment === undefined
      ? environmentsToShow(organization, project, environments.data, settings.data)
      : [place.environment];
  const environment = place.environment ?? counted[0];
  const of = { kind: "segment", key, scope: scopeOfPlace(place) };
  const where = environment === undefined ? {} : { place: { organization, project, environment } };
  return (
    <div className={classes.parts}>
      <Warnings of={detail.data.warnings} />
      <Part title={t("segments.size")} help={t("segments.sizeHelp")}>
        <Audience organization={organization} project={project} environments={counted} of={view} />
      </Part>
      <Part
        of={{ ...of, area: "included" }}
        title={t("segments.includedUsers")}
        help={t("segments.includedHelp")}
      >
        <KeyList
          label={t("segments.includedUsers")}
          keys={view.included}
          change={(included) => editSegment(server, (it) => ({ ...it, included }))}
          lacking={lacking.included}
          file={`${key}-included`}
          {...where}
        />
      </Part>
      <Part
        of={{ ...of, area: "rules" }}
        title={t("segments.rulesTitle")}
        help={t("segments.rulesHelp")}
      >
        {environment !== undefined && (
          <Rules
            place={{ organization, project, environment }}
            rules={view.rules}
            change={(rules) => editSegment(server, (it) => ({ ...it, rules }))}
          />
        )}
      </Part>
      <Part
        of={{ ...of, area: "excluded" }}
        title={t("segments.excludedUsers")}
        help={t("segments.excludedHelp")}
      >
        <KeyList
          label={t("segments.excludedUsers")}
          keys={view.excluded}
          change={(excluded) => editSegment(server, (it) => ({ ...it, excluded }))}
          lacking={lacking.excluded}
          file={`${key}-excluded`}
          {...where}
        />
      </Part>
      <Part title={t("segments.usedBy")} help={t("segments.usedByHelp")}>
        <UsedBy organization={organization} detail={detail.data} />
      </Part>
    </div>
  );
}

interface PartProps {
  title: string;
  help: string;
  children: ReactNode;
  /** What of the segment is edited here. */
  of?: Attendable;
}

function Part({ title, help, children, of }: PartProps) {
  const id = useId();
  const part = useRef<HTMLElement>(null);
  return (
    <section ref={part} className={classes.part} aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        <p className={classes.quiet}>{help}</p>
      </div>
      <div className={classes.body}>
        {of && <Against of={of} part={part} />}
        {children}
      </div>
    </section>
  );
}
