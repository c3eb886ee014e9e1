import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { projectRoot } from '../support/paths.js'

const run = promisify(execFile)
const entries = { millrace: 'lib/index.ts', 'millrace/pipelines': 'pipelines/index.ts' } as const

/** What is exported keeps to the major version. Whoever changes these lists changes the CHANGELOG too. */
const values = {
  millrace: [
    'CrawlError',
    'Counters',
    'ManualClock',
    'RobotsRules',
    'batchRecords',
    'chain',
    'configWith',
    'createHttpClient',
    'createPageFetcher',
    'datumFromJson',
    'datumToLine',
    'fetchPages',
    'filterUrls',
    'flatMapRecords',
    'formatLine',
    'mapRecords',
    'normalizeUrl',
    'normalizeUrls',
    'parseLine',
    'parsePage',
    'pluginApiVersion',
    'readWarcFile',
    'resolveConfig',
    'silentLogger',
    'splitLines',
    'systemClock',
    'tapRecords',
    'tryNormalizeUrl',
    'withCrawlDb',
  ],
  'millrace/pipelines': [
    'crawl',
    'createFetcher',
    'createJobContext',
    'createPagePool',
    'createUrlRules',
    'dedup',
    'fetchItems',
    'fetchSegment',
    'generate',
    'indexChanges',
    'inject',
    'invertlinks',
    'loadPlugins',
    'mergeRecords',
    'parsePages',
    'parseSegment',
    'readSeeds',
    'recordsWhere',
    'scoreRecords',
    'toFetchItem',
    'updatedb',
    'urlRulesOf',
    'warcPages',
    'withJobDb',
  ],
} as const

describe('exports', () => {
  for (const [name, file] of Object.entries(entries) as [keyof typeof entries, string][]) {
    it(`of ${name} are these, and stand in its entry file, by which they are resolved`, async () => {
      expect(createRequire(join(projectRoot, 'package.json')).resolve(name)).to.equal(join(projectRoot, 'dist', file.replace('.ts', '.js')))
      const module = (await import(`../../${file.replace('.ts', '.js')}`)) as Record<string, unknown>
      expect(Object.keys(module).sort()).to.deep.equal([...values[name]].sort())
    })

    it(`of ${name} are documented where they are declared, types too`, () => {
      const text = readFileSync(join(projectRoot, file), 'utf8')
      const undocumented: string[] = []
      for (const [, list = '', from = ''] of text.matchAll(/export (?:type )?\{([^}]*)\} from '([^']*)'/g)) {
        const source = readFileSync(join(projectRoot, file, '..', from.replace('.js', '.ts')), 'utf8')
        for (const one of list.split(',').map(part => part.replace('type ', '').trim())) {
          if (one !== '' && !new RegExp(`\\*/\\nexport [^\\n]*\\b${one}\\b`).test(source)) undocumented.push(`${one} of ${from}`)
        }
      }
      expect(undocumented).to.deep.equal([])
    })
  }

  it('have the types that the example plugins say they have', async () => {
    const examples = readdirSync(join(projectRoot, 'fixtures/plugins')).filter(name => name.endsWith('.mjs'))
    const options = ['--noEmit', '--ignoreConfig', '--allowJs', '--checkJs', '--strict', '--skipLibCheck', '--types', 'node', '--target', 'es2023']
    const kind = ['--module', 'nodenext', '--moduleResolution', 'nodenext']
    const tsc = join(projectRoot, 'node_modules/typescript/lib/tsc.js')
    const files = examples.map(name => join('fixtures/plugins', name))
    const { stdout } = await run(process.execPath, [tsc, ...options, ...kind, ...files], { cwd: projectRoot }).catch(
      error => error as { stdout: string },
    ) // what execFile rejects with
    expect(stdout).to.equal('')
    for (const name of examples)
      expect(readFileSync(join(projectRoot, 'fixtures/plugins', name), 'utf8'), name).to.match(/@type \{import\('millrace'\)\.\w+\}/)
  })
})
