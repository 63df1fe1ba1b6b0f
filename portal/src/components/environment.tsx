import classes from "./marks.module.css";

interface Named {
  key: string;
  name: string;
  colour: string;
  protected: boolean;
}

/** An environment: its pennant, filled where it is protected, and its key. */
export function EnvironmentName({ of, long = false }: { of: Named; long?: boolean }) {
  return (
    <span className={classes.environment} title={of.name}>
      <Pennant colour={of.colour} filled={of.protected} />
      <span className={long ? undefined : classes.cut}>{long ? of.name : of.key}</span>
    </span>
  );
}

export function Pennant({ colour, filled }: { colour: string; filled: boolean }) {
  return (
    <svg className={classes.pennant} viewBox="0 0 12 12" aria-hidden="true">
      <path d="M1.5 1v10" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" />
      <path
        d="M2.6 1.8 11 4.6 2.6 7.4z"
        fill={filled ? colour : "none"}
        stroke={colour}
        strokeWidth="1.2"
        strokeLinejoin="round"
      />
    </svg>
  );
}
