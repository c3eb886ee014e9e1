/** ` (did you mean x?)` for the nearest known name, or nothing if none is near. */
export function suggestion(name: string, known: Iterable<string>): string {
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(name, candidate, bestDistance)
    if (distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best === undefined ? '' : ` (did you mean ${best}?)`
}

/** Levenshtein distance, or `limit` if it is not below it. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(substituted, (previous[j] as number) + 1, (current[j - 1] as number) + 1))
    }
    previous = current
  }
  return Math.min(previous[b.length] as number, limit)
}
