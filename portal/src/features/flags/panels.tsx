import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, lazy } from "react";
import { withWords } from "@/i18n";
import type { Schemas } from "@/lib/api/client";
import { readFilter } from "@/lib/filter";

const CreatePanel = lazy(() =>
  withWords("list", import("./create")).then((it) => ({ default: it.CreatePanel })),
);
const ClonePanel = lazy(() =>
  withWords("list", import("./clone")).then((it) => ({ default: it.ClonePanel })),
);
const ChangePanel = lazy(() =>
  withWords("delivery", import("@/components/change-panel")).then((it) => ({
    default: it.ChangePanel,
  })),
);

interface Props {
  organization: string;
  project: string;
  index: Schemas["FlagIndex"] | undefined;
  environments: Schemas["EnvironmentView"][];
}

/** What is open beside the list, as the address says it. */
export function Panels({ organization, project, index, environments }: Props) {
  const search = useSearch({ from: "/$organization/$project/flags" });
  const navigate = useNavigate({ from: "/$organization/$project/flags" });
  const close = () => void navigate({ search: readFilter });
  if (!index) return null;
  const shared = { organization, project, index, environments, close };
  return (
    <Suspense>
      {search.create && search.like === undefined && <CreatePanel {...shared} />}
      {search.create && search.like !== undefined && <ClonePanel {...shared} of={search.like} />}
      {search.change !== undefined && (
        <ChangePanel organization={organization} number={search.change} close={close} />
      )}
    </Suspense>
  );
}
