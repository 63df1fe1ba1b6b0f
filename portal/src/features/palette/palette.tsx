import { Modal } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "@/lib/api/client";
import { environmentsQuery } from "@/lib/api/queries";
import { useSettled } from "@/lib/settled";
import { command } from "./command";
import classes from "./palette.module.css";
import { QuickModal } from "./quick-modal";

interface Props {
  organization: string;
  project: string | undefined;
  close: () => void;
}

interface Entry {
  id: string;
  title: string;
  more: string;
  run: () => void;
}

/** Goes to anything by its name, and switches a flag: `off new-cart prod`. */
export function Palette({ organization, project, close }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [quick, setQuick] = useState<{ flag: string; environment: string; want: boolean }>();
  const environments = useQuery({
    ...environmentsQuery(organization, project ?? ""),
    enabled: project !== undefined,
  });
  const meant = command(text, environments.data?.map((it) => it.key) ?? []);
  const asked = useSettled(meant?.flag ?? text.trim());
  const found = useQuery({
    queryKey: ["search", organization, asked],
    queryFn: async ({ signal }) => {
      const query = { q: asked, limit: 20, kinds: meant ? "flag" : "project,flag" };
      return dataOf(await api(organization).GET("/api/v1/search", { params: { query }, signal }));
    },
    enabled: asked !== "",
    placeholderData: keepPreviousData,
  });

  const go = (to: () => Promise<void>) => () => {
    close();
    void to();
  };
  const hits = asked === "" ? [] : (found.data?.items ?? []);
  const entries: Entry[] = hits.flatMap((it): Entry[] => {
    const of = it.project ?? it.key;
    if (meant && it.kind === "flag" && of === project) {
      const { on, environment } = meant;
      const title = t(on ? "palette.turnOn" : "palette.turnOff", { flag: it.key, environment });
      return [
        {
          id: it.id,
          title,
          more: it.name,
          run: () => setQuick({ flag: it.key, environment, want: on }),
        },
      ];
    }
    if (meant) return [];
    const to =
      it.kind === "project"
        ? () =>
            navigate({
              to: "/$organization/$project/flags",
              params: { organization, project: it.key },
            })
        : () =>
            navigate({
              to: "/$organization/$project/flags/$flag",
              params: { organization, project: of, flag: it.key },
            });
    return [
      {
        id: it.id,
        title: it.name,
        more: it.kind === "flag" ? `${of} / ${it.key}` : it.key,
        run: go(to),
      },
    ];
  });
  const title = t("shell.changes");
  const changes = go(() => navigate({ to: "/$organization/changes", params: { organization } }));
  const pages: Entry[] = [{ id: "changes", title, more: t("palette.page"), run: changes }];
  const all = text.trim() === "" ? pages : entries;

  function key(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, all.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") all[at]?.run();
    else return;
    event.preventDefault();
  }

  if (quick && project !== undefined) {
    return <QuickModal organization={organization} project={project} {...quick} close={close} />;
  }
  return (
    <Modal.Root opened onClose={close} size={560} yOffset="12vh" padding={0}>
      <Modal.Overlay backgroundOpacity={0.25} />
      <Modal.Content aria-label={t("palette.label")}>
        <input
          className={classes.input}
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={all[at] ? `palette-${all[at].id}` : undefined}
          aria-label={t("palette.label")}
          placeholder={t("palette.placeholder")}
          data-autofocus
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={key}
        />
        <ul
          id="palette-list"
          role="listbox"
          aria-label={t("palette.label")}
          className={classes.list}
        >
          {all.map((it, index) => (
            <li
              key={it.id}
              id={`palette-${it.id}`}
              role="option"
              aria-selected={index === at}
              onPointerMove={() => setAt(index)}
              onClick={it.run}
              onKeyDown={key}
            >
              <span>{it.title}</span>
              <small>{it.more}</small>
            </li>
          ))}
        </ul>
        {text.trim() !== "" && all.length === 0 && !found.isFetching && (
          <p className={classes.none}>{t("palette.none")}</p>
        )}
      </Modal.Content>
    </Modal.Root>
  );
}
