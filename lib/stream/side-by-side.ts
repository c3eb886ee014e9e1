/** Calls `work` for each item, `atOnce` of them at a time, and gives what they give in the order of the items: reads that each wait for a thread then
 *  wait together. Where one fails, those that were begun with it come to their ends first. */
export async function sideBySide<T, R>(items: readonly T[], work: (item: T) => Promise<R>, atOnce = 64): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += atOnce) {
    const begun = items.slice(start, start + atOnce).map(work)
    try {
      results.push(...(await Promise.all(begun)))
    } catch (error) {
      await Promise.allSettled(begun)
      throw error
    }
  }
  return results
}
