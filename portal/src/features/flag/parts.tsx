import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api/client";
import type { UsersPlace } from "@/lib/api/known";
import { type WholeFlag, targetingIn } from "@/lib/model/flag";
import { Counts } from "./counts";
import { Decides } from "./decides";
import { LiveSection } from "./live-section";
import { Prerequisites } from "./prerequisites";
import { RuleList } from "./rules";
import { Section } from "./section";
import { Serving } from "./serving";
import { Targets } from "./targets";
import { useAudience } from "./use-audience";
import { Uses } from "./uses";
import { VariationSelect } from "./variation-select";
import { Variations } from "./variations";

interface Props {
  place: UsersPlace;
  server: WholeFlag;
  view: WholeFlag;
  /** In how many places it is needed that one may not see. */
  hidden: number;
  warnings: Schemas["ItemWarning"][];
}

/** What decides who gets what, from the first thing that is asked to the last; and what can be served. */
export function Parts({ place, server, view, hidden, warnings }: Props) {
  const { t } = useTranslation();
  const { environment } = place;
  const audience = useAudience(environment);
  const live = { environment, server };
  return (
    <>
      <LiveSection
        {...live}
        area="prerequisites"
        title={t("flag.prerequisites")}
        help={t("flag.prerequisitesHelp")}
      >
        {(seen) => (
          <Prerequisites
            place={place}
            flag={server.flag.key}
            targeting={seen.now}
            hidden={hidden}
            edit={seen.edit}
          />
        )}
      </LiveSection>
      <LiveSection {...live} area="targets" title={t("flag.targets")} help={t("flag.targetsHelp")}>
        {(seen) => (
          <Targets place={place} flag={seen.view.flag} targeting={seen.now} edit={seen.edit} />
        )}
      </LiveSection>
      <LiveSection {...live} area="rules" title={t("flag.rules")} help={t("flag.rulesHelp")}>
        {(seen) => (
          <RuleList
            place={place}
            flag={seen.view.flag}
            targeting={seen.now}
            server={seen.before}
            warnings={warnings}
            audience={audience}
            edit={seen.edit}
          />
        )}
      </LiveSection>
      <LiveSection
        {...live}
        area="defaultRule"
        title={t("flag.default")}
        help={t("flag.defaultHelp")}
      >
        {(seen) => (
          <>
            <Serving
              place={place}
              flag={seen.view.flag}
              serving={seen.now.defaultRule}
              before={seen.before.defaultRule}
              change={(defaultRule) => seen.edit((it) => ({ ...it, defaultRule }))}
              open
            />
            <Decides audience={audience} users={audience?.defaultRule} />
          </>
        )}
      </LiveSection>
      <LiveSection
        {...live}
        area="offVariation"
        title={t("flag.whenOff")}
        help={t("flag.whenOffHelp", { environment })}
      >
        {(seen) => (
          <VariationSelect
            flag={seen.view.flag}
            label={t("flag.whenOff")}
            value={seen.now.offVariation}
            change={(offVariation) => seen.edit((it) => ({ ...it, offVariation }))}
          />
        )}
      </LiveSection>
      <Uses place={place} rules={targetingIn(view, environment).rules} />
      <Section title={t("flag.counts")} help={t("flag.countsHelp", { environment })}>
        <Counts place={place} flag={view.flag} />
      </Section>
      <LiveSection
        {...live}
        area="variations"
        title={t("flag.variations")}
        help={t("flag.variationsHelp")}
      >
        {(seen) => <Variations server={seen.server} view={seen.view} />}
      </LiveSection>
    </>
  );
}
