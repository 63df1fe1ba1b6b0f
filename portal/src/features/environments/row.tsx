import { Menu } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Pennant } from "@/components/environment";
import { useLacking } from "@/components/may";
import type { Schemas } from "@/lib/api/client";
import { ARROWS } from "@/lib/keyboard";
import { placeOf } from "@/lib/place";
import classes from "./environments.module.css";

interface Props {
  organization: string;
  project: string;
  environment: Schemas["EnvironmentView"];
  index: number;
  count: number;
  top: number;
  height: number;
  /** Something is dragged onto it. */
  over: boolean;
  /** Puts it at this place. */
  move: (place: number) => void;
  drag: { start: () => void; over: () => void; drop: () => void; end: () => void };
}

/** An environment in the list: what it looks like, and the ways into it. */
export function Row(props: Props) {
  const { organization, project, environment, index, count, top, height, over, move, drag } = props;
  const { key, name, description, colour, protected: mark } = environment;
  const { t } = useTranslation();
  const params = { organization, project, environment: key };
  const lacking = useLacking(organization, {
    move: { action: "environment.update", resource: placeOf(project, environment) },
  });
  const may = lacking.move === undefined;
  return (
    // It is moved with the keys by its button.
    <div
      className={classes.row}
      role="listitem"
      aria-posinset={index + 1}
      aria-setsize={count}
      data-over={over || undefined}
      style={{ height, transform: `translateY(${top}px)` }}
      draggable={may}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = "move";
        drag.start();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        drag.over();
      }}
      onDrop={(event) => {
        event.preventDefault();
        drag.drop();
      }}
      onDragEnd={drag.end}
    >
      <Pennant colour={colour} filled={mark} />
      <div className={classes.names}>
        <Link
          to="/$organization/$project/settings/environments/$environment"
          params={params}
          className={`${classes.name} reach`}
        >
          {name}
        </Link>
        <code>{key}</code>
        {mark && <span className={classes.mark}>{t("environments.isProtected")}</span>}
        <span className={classes.description}>{description}</span>
      </div>
      <nav className={classes.links} aria-label={t("environments.of", { name })}>
        <Link to="/$organization/$project/settings/environments/$environment/rules" params={params}>
          {t("environments.rules")}
        </Link>
        <Link to="/$organization/$project/settings/environments/$environment/keys" params={params}>
          {t("environments.keys")}
        </Link>
      </nav>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button
            small
            look="quiet"
            className={classes.handle}
            aria-label={t("environments.move", { name })}
            title={lacking.move ?? t("environments.moveHelp", ARROWS)}
            lacking={lacking.move}
            onKeyDown={(event) => {
              const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
              if (!event.altKey || step === undefined || !may) return;
              event.preventDefault();
              event.stopPropagation();
              move(index + step);
            }}
          >
            ↕
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item disabled={index === 0} onClick={() => move(index - 1)}>
            {t("environments.up")}
          </Menu.Item>
          <Menu.Item disabled={index === count - 1} onClick={() => move(index + 1)}>
            {t("environments.down")}
          </Menu.Item>
          <Menu.Item disabled={index === 0} onClick={() => move(0)}>
            {t("environments.first")}
          </Menu.Item>
          <Menu.Item disabled={index === count - 1} onClick={() => move(count - 1)}>
            {t("environments.last")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
