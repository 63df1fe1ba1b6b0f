import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Picker } from "@/components/picker";
import type { UsersPlace } from "@/lib/api/known";
import { flagIndexQuery, flagQuery } from "@/lib/api/queries";
import type { Prerequisite } from "@/lib/model/flag";

interface AddProps {
  place: UsersPlace;
  without: string[];
  add: (it: Prerequisite) => void;
}

/** Offers the flags that can be needed: live, and not there yet. */
export function AddPrerequisite({ place: { organization, project }, without, add }: AddProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const index = useQuery({
    ...flagIndexQuery(organization, project, []),
    enabled: anchor !== undefined,
  });
  const choices = (index.data?.items ?? []).filter(
    (it) => it.state === "live" && !without.includes(it.key),
  );
  async function choose(key: string) {
    const needed = await queries.fetchQuery(flagQuery(organization, project, key));
    add({ flag: needed.key, variation: needed.onVariation });
  }
  return (
    <>
      <Button small aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
        {t("flag.addPrerequisite")}
      </Button>
      <Suspense>
        {anchor && (
          <Picker
            anchor={anchor}
            title={t("flag.addPrerequisite")}
            close={() => setAnchor(undefined)}
            chosen={[]}
            choices={choices.map(({ key, name }) => ({
              key,
              text: name === key ? key : `${name} ${key}`,
            }))}
            choose={(key) => void choose(key)}
          />
        )}
      </Suspense>
    </>
  );
}
