/** Below 0 if `a` comes before `b` by UTF-16 units, which within Unicode's basic plane is the order of their UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
