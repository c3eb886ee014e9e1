import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../support/paths.js'
import type { Bench } from '../bench.js'

/** Modules that decide what the bytes of a made db and segment are: when one changes, what was kept is made anew. */
const formModules = [
  'lib/crawldb/datum-codec.js',
  'lib/crawldb/tables.js',
  'lib/crawldb/place.js',
  'lib/crawldb/sort-bucket.js',
  'lib/record/url-key.js',
  'lib/store/level-store.js',
  'lib/segment/encode-parse.js',
  'spec/bench/made/fill-db.js',
  'spec/bench/made/made-db.js',
  'spec/bench/made/made-segment.js',
  'spec/bench/made/made-urls.js',
]

/** The folder of this name in the cache, made at the first use. What an older build kept under the name is removed. */
export function cachedFolder(bench: Bench, name: string, make: (folder: string) => Promise<void>): Promise<string> {
  return bench.once(`cached ${name}`, async () => {
    const folder = join(bench.cacheFolder, `${name}-${formFingerprint()}`)
    if (existsSync(folder)) return folder
    for (const old of readdirSync(bench.cacheFolder)) if (isVersionOf(old, name)) rmSync(join(bench.cacheFolder, old), { recursive: true })
    const unfinished = `${folder}.part`
    mkdirSync(unfinished, { recursive: true })
    bench.say(`making ${name}, kept in ${bench.cacheFolder}`)
    await make(unfinished)
    renameSync(unfinished, folder)
    return folder
  })
}

function isVersionOf(folder: string, name: string): boolean {
  return folder.startsWith(`${name}-`) && /^[0-9a-f]{12}(?:\.part)?$/.test(folder.slice(name.length + 1))
}

function formFingerprint(): string {
  const hash = createHash('sha256')
  for (const module of formModules) hash.update(readFileSync(join(projectRoot, 'dist', module)))
  return hash.digest('hex').slice(0, 12)
}
