/** Calls `work` for each item, `atOnce` of them at a time, and gives what they give in the order of the items: reads that each wait for a thread then
 *  wait together. */
export async function sideBySide<T, R>(items: readonly T[], work: (item: T) => Promise<R>, atOnce = 64): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += atOnce) results.push(...(await Promise.all(items.slice(start, start + atOnce).map(work))))
  return results
}
