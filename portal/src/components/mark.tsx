/** The mark: a burgee on its staff. */
export function Mark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" style={{ flex: "none" }}>
      <path d="M6 4v24" stroke="currentColor" strokeWidth="3" strokeLinecap="round" />
      <path d="M8 5l20 6-20 7z" fill="var(--production)" />
    </svg>
  );
}
