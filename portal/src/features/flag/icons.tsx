/** Small signs on buttons that have names of their own. */
const paths = {
  drag: "M6 3h.01M10 3h.01M6 8h.01M10 8h.01M6 13h.01M10 13h.01",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  remove: "M4 4l8 8M12 4l-8 8",
} as const;

export function Icon({ of }: { of: keyof typeof paths }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={paths[of]}
        fill="none"
        stroke="currentColor"
        strokeWidth={of === "drag" ? 2 : 1.3}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
