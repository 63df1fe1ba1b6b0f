/** The key that a name suggests: `New cart 2!` → `new-cart-2`. */
export function keyOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  const key = plain.toLowerCase().replace(/[^a-z0-9._]+/g, "-");
  return key.replace(/^-+|-+$/g, "").slice(0, 128);
}
