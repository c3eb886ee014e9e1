/** A small generator of pseudo-random numbers (mulberry32), so that a mutation that fails can be made again from its seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Bytes flipped, cut out, repeated and moved: what networks, editors and attackers do to pages. */
export function mutate(bytes: Uint8Array, random: () => number): Uint8Array {
  let mutated = Buffer.from(bytes)
  const place = (): number => Math.floor(random() * (mutated.length + 1))
  for (let count = 1 + Math.floor(random() * 4); count > 0; count--) {
    const [start, end] = [place(), place()].sort((a, b) => a - b) as [number, number] // two in, two out
    switch (Math.floor(random() * 6)) {
      case 0:
        for (let flips = 1 + Math.floor(random() * 30); flips > 0 && mutated.length > 0; flips--)
          mutated[place() % mutated.length] = Math.floor(random() * 256)
        break
      case 1:
        mutated = Buffer.concat([mutated.subarray(0, start), mutated.subarray(end)])
        break
      case 2:
        mutated = Buffer.concat([mutated.subarray(0, end), mutated.subarray(start, Math.min(end, start + 20_000)), mutated.subarray(end)])
        break
      case 3:
        mutated = Buffer.from(mutated.subarray(0, end))
        break
      case 4:
        mutated = Buffer.concat([mutated.subarray(end), mutated.subarray(0, start)])
        break
      default:
        mutated = Buffer.concat([
          mutated.subarray(0, start),
          Buffer.from(specials[Math.floor(random() * specials.length)] ?? ''),
          mutated.subarray(start),
        ])
    }
  }
  return mutated
}

const specials = [
  '<',
  '>',
  '</',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '"',
  "'",
  '&',
  '&#x',
  '\0',
  '\ufeff',
  '<svg>',
  '<template>',
  '<select>',
  '<title>',
  '<plaintext>',
  '<script>',
  '<?xml',
]
