/** Remembers the answers of a pure function for the arguments asked lately: two generations, the older one dropped when the newer is full. */
export function remembering<T>(fn: (text: string) => T, maxEntries: number): (text: string) => T {
  let recent = new Map<string, T>()
  let older = new Map<string, T>()
  return text => {
    const known = recent.get(text)
    if (known !== undefined || recent.has(text)) return known as T // has() says that it is an answer
    const answer = older.has(text) ? (older.get(text) as T) : fn(text) // as above
    if (recent.size >= maxEntries) {
      older = recent
      recent = new Map()
    }
    recent.set(text, answer)
    return answer
  }
}
