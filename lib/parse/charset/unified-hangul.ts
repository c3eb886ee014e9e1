import type { TextDecoder as PlatformDecoder } from 'node:util'

/** What Unified Hangul Code adds to KS X 1001, by lead and trail byte; made when the first page needs it. */
let added: ReadonlyMap<number, string> | undefined

function addedCharacters(platform: PlatformDecoder): ReadonlyMap<number, string> {
  added ??= makeAdded(platform)
  return added
}

/** Two signs of 1998, and the syllables. The added syllables stand in Unicode's order in the rows that KS X 1001 leaves free, with trails that it has not. */
function makeAdded(platform: PlatformDecoder): ReadonlyMap<number, string> {
  const known = new Set<string>()
  for (let lead = 0xb0; lead <= 0xc8; lead++) for (let trail = 0xa1; trail <= 0xfe; trail++) known.add(platform.decode(Uint8Array.of(lead, trail)))
  const syllables = new Map([
    [0xa2e6, '€'],
    [0xa2e7, '®'],
  ])
  let code = 0xac00
  for (let lead = 0x81; lead <= 0xc6; lead++) {
    for (let trail = 0x41; trail <= (lead <= 0xa0 ? 0xfe : 0xa0) && code <= 0xd7a3; trail++) {
      if ((trail > 0x5a && trail < 0x61) || (trail > 0x7a && trail < 0x81)) continue
      while (known.has(String.fromCharCode(code))) code++
      if (code <= 0xd7a3) syllables.set((lead << 8) | trail, String.fromCharCode(code++))
    }
  }
  return syllables
}

/**
 * Decodes euc-kr as the Encoding Standard has it, which is Unified Hangul Code (windows-949). The platform knows KS X 1001 only, and loses three of
 * four syllables that Korean can write. A character may be cut anywhere.
 */
export class UnifiedHangulDecoder {
  readonly #platform = new TextDecoder('euc-kr')
  readonly #added = addedCharacters(this.#platform)
  #cutLead: number | undefined

  decode(given: Uint8Array = new Uint8Array(), { stream = false }: { readonly stream?: boolean } = {}): string {
    const bytes = this.#cutLead === undefined ? given : Buffer.concat([Uint8Array.of(this.#cutLead), given])
    this.#cutLead = undefined
    let text = ''
    let from = 0
    for (let at = 0; at < bytes.length; at++) {
      const lead = bytes[at] as number
      if (lead < 0x81 || lead > 0xfe) continue
      if (at + 1 === bytes.length) {
        if (stream) this.#cutLead = lead
        return text + this.#platform.decode(bytes.subarray(from, at)) + (stream ? '' : '\ufffd')
      }
      const trail = bytes[at + 1] as number
      const syllable = this.#added.get((lead << 8) | trail)
      if (syllable !== undefined) {
        text += this.#platform.decode(bytes.subarray(from, at)) + syllable
        from = at + 2
      }
      if (syllable !== undefined || trail >= 0x80) at++
    }
    return text + this.#platform.decode(bytes.subarray(from))
  }
}
