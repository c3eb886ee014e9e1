import type { MadeDb } from '../made/made-db.js'

/** `10 M`, `40,000`. */
export function millions(count: number): string {
  return count >= 1_000_000 ? `${Math.round(count / 100_000) / 10} M` : count.toLocaleString('en')
}

/** A db of which nine in ten URLs are due. */
export function mostlyDue(urls: number): MadeDb {
  return { urls, due: Math.floor(urls * 0.9) }
}
