import type { KeyboardEvent, PointerEvent } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { keysShown } from "@/lib/keyboard";
import { Icon } from "./icons";
import classes from "./rules.module.css";

interface Props {
  number: number;
  name: string;
  last: boolean;
  /** The pointer took hold of it. */
  grab: (event: PointerEvent<HTMLElement>) => void;
  rename: (name: string) => void;
  move: (by: number) => void;
  duplicate: () => void;
  remove: () => void;
}

/** What a rule is called, and what is done with it as a whole. */
export function RuleHead(props: Props) {
  const { number, last, grab, rename, move, duplicate, remove } = props;
  const { t } = useTranslation();
  const name = props.name || t("flag.ruleNumber", { number });

  function arrows(event: KeyboardEvent) {
    if (event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(event.key === "ArrowUp" ? -1 : 1);
  }

  return (
    <div className={classes.head}>
      <button
        type="button"
        className={classes.grip}
        aria-label={t("flag.dragRule", { name })}
        title={`${keysShown("Alt+ArrowUp")} ${keysShown("Alt+ArrowDown")}`}
        onPointerDown={grab}
        onKeyDown={arrows}
      >
        <Icon of="drag" />
      </button>
      <input
        className={classes.name}
        aria-label={t("flag.ruleName")}
        placeholder={t("flag.ruleNumber", { number })}
        value={props.name}
        onChange={(event) => rename(event.target.value)}
      />
      <span className={classes.tools}>
        <Button
          small
          look="quiet"
          aria-label={t("flag.moveUp", { name })}
          title={keysShown("Alt+ArrowUp")}
          disabled={number === 1}
          onClick={() => move(-1)}
        >
          <Icon of="up" />
        </Button>
        <Button
          small
          look="quiet"
          aria-label={t("flag.moveDown", { name })}
          title={keysShown("Alt+ArrowDown")}
          disabled={last}
          onClick={() => move(1)}
        >
          <Icon of="down" />
        </Button>
        <Button
          small
          look="quiet"
          aria-label={t("flag.duplicateRule", { name })}
          onClick={duplicate}
        >
          <Icon of="copy" />
        </Button>
        <Button small look="quiet" aria-label={t("flag.removeRule", { name })} onClick={remove}>
          <Icon of="remove" />
        </Button>
      </span>
    </div>
  );
}
