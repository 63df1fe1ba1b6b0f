import { useTranslation } from "react-i18next";
import { EnvironmentName } from "@/components/environment";
import type { Schemas } from "@/lib/api/client";
import type { SegmentPlace } from "@/lib/model/segment";

interface Props {
  place: SegmentPlace;
  environments: Schemas["EnvironmentView"][];
}

/** Where a segment can be used. */
export function PlaceName({ place, environments }: Props) {
  const { t } = useTranslation();
  const { project, environment } = place;
  if (project === undefined) return t("segments.ofOrganization");
  if (environment === undefined) return t("segments.ofProject", { project });
  const known = environments.find((it) => it.key === environment);
  return known ? <EnvironmentName of={known} /> : environment;
}
