export interface TextProfileOptions {
  /** Only tokens longer than this count. */
  readonly minTokenChars: number
  readonly quantRate: number
  /** Tokens of equal count in lexicographic order; otherwise in the order in which the text brings them. */
  readonly sortsLexically: boolean
}

/**
 * The profile that Nutch's TextProfileSignature takes the MD5 of: lines `token count`, the most frequent first, counts rounded down to a
 * multiple of QUANT, rarer tokens left out. Tokens are runs of letters and digits, lower case.
 */
export function textProfile(text: string, options: TextProfileOptions): string {
  const counts = countTokens(text, options.minTokenChars)
  let maxCount = 0
  for (const count of counts.values()) if (count > maxCount) maxCount = count
  const quant = quantOf(maxCount, options.quantRate)
  const kept: [token: string, count: number][] = []
  for (const [token, count] of counts) if (count >= quant) kept.push([token, Math.floor(count / quant) * quant])
  kept.sort(([tokenA, a], [tokenB, b]) => b - a || (options.sortsLexically ? (tokenA < tokenB ? -1 : 1) : 0))
  return kept.map(([token, count]) => `${token} ${count}`).join('\n')
}

/** Java's Math.round of the highest count times the rate, but at least 2, or 1 where no token comes twice. */
function quantOf(maxCount: number, quantRate: number): number {
  const quant = Math.floor(Math.fround(maxCount * Math.fround(quantRate)) + 0.5)
  return quant >= 2 ? quant : maxCount > 1 ? 2 : 1
}

function countTokens(text: string, minTokenChars: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (const token of tokensOf(text)) {
    if (token.length <= minTokenChars) continue
    counts.set(token, (counts.get(token) ?? 0) + 1)
  }
  return counts
}

/** Letters and digits as Java's Character.isLetterOrDigit has them for one UTF-16 unit: categories L and Nd, never half a surrogate pair. */
const tokenPattern = /[\p{L}\p{Nd}]+/gu
const tokenPatternOfFirstPlane = /(?:(?![\u{10000}-\u{10ffff}])[\p{L}\p{Nd}])+/gu

/** Runs of letters and digits, lower case. */
export function tokensOf(text: string): readonly string[] {
  const lower = lowerCase(text)
  return lower.match(/[\ud800-\udfff]/.test(lower) ? tokenPatternOfFirstPlane : tokenPattern) ?? []
}

/** Lower case unit by unit, as Java's Character.toLowerCase does it: a sigma at the end of a word is like any other, a dotted I is an i. */
function lowerCase(text: string): string {
  return text.replaceAll('\u03a3', '\u03c3').replaceAll('\u0130', 'i').toLowerCase()
}
