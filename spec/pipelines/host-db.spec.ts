import { expect } from 'chai'
import fc from 'fast-check'
import type { DbDatum, FetchOutcome } from '../../lib/record/records.js'
import { type DbStatus, dbStatuses } from '../../lib/record/status.js'
import { ParseWriter } from '../../lib/segment/parse-writer.js'
import { Segment } from '../../lib/segment/segment.js'
import { SegmentWriter } from '../../lib/segment/segment-writer.js'
import type { JobContext } from '../../pipelines/job.js'
import { dbDatum } from '../support/db-datum.js'
import { putRecords, specJob, specTimeMs } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { readFetchList } from '../support/segment-files.js'
import { useTempFolders } from '../support/temp-folder.js'

interface Facts {
  readonly counts: Readonly<Record<string, number>>
  readonly dnsFailures: number
  readonly connectionFailures: number
  readonly answers: number
  readonly homepage?: string
  readonly responseMs?: Readonly<Record<string, number>>
}

/** A success, 10 ms long, but for what is given. */
function outcome(url: string, at: number, parts: Partial<FetchOutcome>): FetchOutcome {
  const datum = dbDatum({ url })
  const timing = { startMs: specTimeMs + at, endMs: specTimeMs + at + 10 }
  return { url: datum.url, status: 'fetch_success', protocolStatus: 'success', httpStatus: 200, datum, timing, metadata: {}, ...parts }
}

/** A fetch that got no answer. */
function failure(url: string, at: number, causeClass: string): FetchOutcome {
  const { httpStatus: _, ...rest } = outcome(url, at, { status: 'fetch_retry', protocolStatus: 'exception', causeClass })
  return rest
}

/** A segment that was fetched and parsed, with these outcomes. */
async function writeSegment(context: JobContext, outcomes: readonly FetchOutcome[]): Promise<void> {
  const segment = await Segment.create(context.folder.segments, specTimeMs)
  const writer = await SegmentWriter.open(segment, { encodeWarcinfo: () => new Uint8Array(), syncs: 'never' })
  for (const one of outcomes) await writer.append(undefined, one)
  await writer.finish({ items: outcomes.length, timeMs: specTimeMs })
  await (await ParseWriter.open(segment, { syncs: 'never' })).finish({ items: 0, timeMs: specTimeMs })
}

describe('HostDb', () => {
  const newFolder = useTempFolders()
  const responses = Array.from({ length: 20 }, (_, index) =>
    outcome(`http://a.example/${index}`, index * 100, { metadata: { _rs_: String((index + 1) * 10) } }),
  )
  const outcomes = [
    ...responses,
    outcome('http://a.example/', 5000, {
      status: 'fetch_redir_perm',
      protocolStatus: 'moved',
      httpStatus: 301,
      redirect: { to: 'http://a.example/home', target: dbDatum({ url: 'http://a.example/home' }).url, kind: 'perm', via: 'location' },
    }),
    failure('http://dead.example/1', 0, 'dns'),
    failure('http://dead.example/2', 100, 'dns'),
    failure('http://shut.example/1', 0, 'connect'),
  ]
  const records = outcomes.map(({ url }) => dbDatum({ url, fetchTimeMs: specTimeMs - 1 }))

  async function facts(folder: string): Promise<Record<string, Facts>> {
    const { stdout } = await runCommand(['readhostdb', folder])
    return Object.fromEntries(
      stdout
        .split('\n')
        .filter(line => line !== '')
        .map(line => [line.split('\t')[0] ?? '', JSON.parse(line.split('\t')[1] ?? '') as Facts]),
    )
  }
  function expectFacts(found: Readonly<Record<string, Facts>>): void {
    expect(found['a.example']).to.deep.include({ dnsFailures: 0, connectionFailures: 0, homepage: 'http://a.example/home', answers: 20 })
    expect(found['a.example']?.counts).to.deep.equal({ db_unfetched: 1, db_fetched: 20, db_redir_perm: 1 })
    const { min, p50 = 0, p95 = 0, max } = found['a.example']?.responseMs ?? {}
    expect({ min, max }).to.deep.equal({ min: 10, max: 200 })
    // Of 10, 20 … 200 ms: half are below 105, 95 % below 195; each percentile its own (Nutch gave the median for all).
    expect(p50).to.be.within(95, 115)
    expect(p95).to.be.within(185, 200)
    expect(found['dead.example']).to.include({ dnsFailures: 2, connectionFailures: 0, answers: 0 })
    expect(found['shut.example']).to.include({ dnsFailures: 0, connectionFailures: 1 })
  }

  it('is kept up to date by updatedb', async () => {
    const folder = newFolder()
    const context = specJob(folder)
    await putRecords(context, records)
    expect((await runCommand(['updatehostdb', folder])).json()).to.deep.equal({ hosts: 3, outcomes: 0 })
    await writeSegment(context, outcomes)
    await runCommand(['updatedb', folder, '-D', 'millrace.merge.batch=5'])
    expectFacts(await facts(folder))
    expect((await runCommand(['readdb', folder, '--verify'])).stdout).to.equal('')
  })

  it('made afterwards from db and segments it is the same', async () => {
    const folder = newFolder()
    const context = specJob(folder)
    await putRecords(context, records)
    await writeSegment(context, outcomes)
    await runCommand(['updatedb', folder])
    expect((await runCommand(['updatehostdb', folder])).json()).to.deep.equal({ hosts: 3, outcomes: 24 })
    expectFacts(await facts(folder))
  })

  it('answers for one host, by expression, and with names and homepages', async () => {
    const folder = newFolder()
    const context = specJob(folder)
    await putRecords(context, records)
    await runCommand(['updatehostdb', folder])
    await writeSegment(context, outcomes)
    await runCommand(['updatedb', folder])
    expect((await runCommand(['readhostdb', folder, '--get', 'Dead.example', '--hostnames'])).stdout).to.equal('dead.example\n')
    expect((await runCommand(['readhostdb', folder, '--expr', 'connectionFailures > 0', '--hostnames'])).stdout).to.equal('shut.example\n')
    expect((await runCommand(['readhostdb', folder, '--homepages'])).stdout).to.equal('http://a.example/home\n')
    expect((await runCommand(['readhostdb', folder, '--get', 'none.example'])).status).to.equal(1)
  })

  it('gives generate its limits and delays by host', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), [
      ...Array.from({ length: 5 }, (_, index) => dbDatum({ url: `http://good.example/${index}`, fetchTimeMs: 0 })),
      ...Array.from({ length: 4 }, (_, index) =>
        dbDatum({ url: `http://good.example/f${index}`, status: 'db_fetched', fetchTimeMs: specTimeMs * 2 }),
      ),
      ...Array.from({ length: 5 }, (_, index) => dbDatum({ url: `http://new.example/${index}`, fetchTimeMs: 0 })),
    ])
    const args = [
      'generate',
      folder,
      '--no-filter',
      '-D',
      'generate.max.count.expr=fetched > 3 ? 4 : 1',
      '-D',
      'generate.fetch.delay.expr=fetched * 100 + 7.4',
    ]
    const error: unknown = await runCommand(args).catch(thrown => thrown)
    expect(error).to.include({ code: 'CONFIG_INVALID' })
    await runCommand(['updatehostdb', folder])
    const name = (await runCommand(args)).stdout.trim()
    const urls = readFetchList(`${folder}/segments/${name}`)
    expect(urls.filter(url => url.includes('good'))).to.have.lengthOf(4)
    expect(urls.filter(url => url.includes('new'))).to.have.lengthOf(1)
    for await (const items of (await Segment.open(`${folder}/segments/${name}`)).readFetchList())
      for (const { queueId, datum } of items) expect(datum.metadata._variableFetchDelay_).to.equal(queueId === 'good.example' ? '407' : '7')
  })

  it('gives generate no limit for a host by a number below 0, as generate.max.count does, and none of a host by 0 (NUTCH-2461)', async () => {
    const folder = newFolder()
    const urls = ['a', 'b', 'c'].flatMap(host => Array.from({ length: 4 }, (_, index) => `http://${host}.example/${index}`))
    await putRecords(
      specJob(folder),
      urls.map(url => dbDatum({ url, fetchTimeMs: 0 })),
    )
    await runCommand(['updatehostdb', folder])
    const limits = ['-D', "generate.max.count.expr=host == 'a.example' ? -1 : host == 'b.example' ? 0 : 2", '-D', 'generate.max.count=3']
    const { stdout } = await runCommand(['generate', folder, '--no-filter', ...limits])
    const listed = readFetchList(`${folder}/segments/${stdout.trim()}`).map(url => new URL(url).host)
    expect(listed.sort()).to.deep.equal([...Array(4).fill('a.example'), ...Array(2).fill('c.example')])
  })

  it('is not there until it is made, and is gone when it is dropped', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), records)
    for (const step of ['not made', 'dropped']) {
      const error: unknown = await runCommand(['readhostdb', folder]).catch(thrown => thrown)
      expect(error, step).to.include({ code: 'DB_MISSING' })
      await runCommand(['updatehostdb', folder])
      expect(Object.keys(await facts(folder))).to.have.lengthOf(3)
      await runCommand(['updatehostdb', folder, '--drop'])
    }
    expect((await runCommand(['readdb', folder, '--verify'])).stdout).to.equal('')
  })

  it('counts records by status through any changes', async () => {
    const change = fc.array(
      fc.record({ host: fc.constantFrom('a', 'b', 'b.c'), path: fc.nat(4), status: fc.option(fc.constantFrom(...dbStatuses), { nil: undefined }) }),
      { maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 4 }), async batches => {
        const folder = newFolder()
        await putRecords(specJob(folder), [])
        await runCommand(['updatehostdb', folder])
        const expected = new Map<string, DbStatus>()
        for (const batch of batches) {
          const byUrl = new Map(batch.map(({ host, path, status }) => [`http://${host}.example/${path}`, status]))
          for (const [url, status] of byUrl) status === undefined ? expected.delete(url) : expected.set(url, status)
          await putRecords(
            specJob(folder),
            [...byUrl].flatMap(([url, status]): DbDatum[] => (status === undefined ? [] : [dbDatum({ url, status })])),
          )
          for (const [url, status] of byUrl) if (status === undefined) await runCommand(['delete', folder, '--url', url])
        }
        const counts: Record<string, Record<string, number>> = {}
        for (const [url, status] of expected) {
          const { host } = new URL(url)
          counts[host] = { ...counts[host], [status]: (counts[host]?.[status] ?? 0) + 1 }
        }
        expect(Object.fromEntries(Object.entries(await facts(folder)).map(([host, found]) => [host, found.counts]))).to.deep.equal(counts)
        expect((await runCommand(['readdb', folder, '--verify'])).stdout).to.equal('')
      }),
      { numRuns: 15 },
    )
  })
})
