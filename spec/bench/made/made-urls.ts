import { open } from 'node:fs/promises'
import type { Url } from '../../../lib/record/url.js'
import { hostNumber, urlNumber } from './fill-db.js'

export const urlsPerHost = 10

/** A prime above all counts of URLs here: steps of its size go through all of them in a scattered order. */
const scatterStep = 1_000_000_007

/** URL number `index` of a made db. */
export function madeUrl(index: number): Url {
  return urlNumber(hostOfUrl(index), index % urlsPerHost)
}

/** A URL on a host of the db that the db does not hold. */
export function freshUrl(index: number): Url {
  return urlNumber(hostOfUrl(index), 1_000_000 + index)
}

function hostOfUrl(index: number): string {
  return hostNumber(Math.floor(index / urlsPerHost))
}

/** `position` of a scattered order of 0 … count - 1. */
export function scattered(position: number, count: number): number {
  return Number((BigInt(position) * BigInt(scatterStep)) % BigInt(count))
}

/** Writes seed lines, in batches. */
export async function writeLines(file: string, lines: Iterable<string>): Promise<void> {
  const handle = await open(file, 'w')
  try {
    let text = ''
    for (const line of lines) {
      text += `${line}\n`
      if (text.length < 1_000_000) continue
      await handle.write(text)
      text = ''
    }
    await handle.write(text)
  } finally {
    await handle.close()
  }
}

/** `count` seeds in a scattered order, from number `from` on. */
export function* scatteredSeeds(count: number, from = 0): Generator<string> {
  for (let position = 0; position < count; position++) yield madeUrl(from + scattered(position, count))
}
