import classes from "./shell.module.css";

const paths = {
  flags: "M4.5 17.5v-15M4.5 3.5h11l-3 4 3 4h-11",
  segments: "M7.5 5a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12.5 5a5 5 0 1 1 0 10 5 5 0 0 1 0-10z",
  users: "M10 3a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM3.5 17c.6-3 3-4.5 6.5-4.5s5.9 1.5 6.5 4.5",
  changes: "M3.5 10a6.5 6.5 0 1 0 2-4.7L3.5 7M3.5 3.5V7H7M10 6.5V10l2.5 1.5",
  more: "M4.5 10h.01M10 10h.01M15.5 10h.01",
  search: "M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM13 13l3.5 3.5",
} as const;

/** What a place is told by on a phone, above its name. */
export function Sign({ of }: { of: keyof typeof paths }) {
  return (
    <svg className={classes.sign} width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      <path
        d={paths[of]}
        fill="none"
        stroke="currentColor"
        strokeWidth={of === "more" ? 2.5 : 1.5}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
