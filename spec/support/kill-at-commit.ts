import { expect } from 'chai'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import type { Commit } from '../../lib/store/sorted-merge.js'

/** Runs `work` on a db whose commit number `at`, from 0, throws, as does every later one: as a process that was killed there leaves the db.
 *  @returns whether it came to that */
export async function killedAtCommit(crawlDb: CrawlDb, at: number, work: () => Promise<void>): Promise<boolean> {
  const prepare = crawlDb.prepare.bind(crawlDb)
  let count = 0
  Object.assign(crawlDb, {
    prepare: (...args: Parameters<CrawlDb['prepare']>): Commit => {
      const commit = prepare(...args)
      return (...rest) => (count++ < at ? commit(...rest) : Promise.reject(new Error('killed')))
    },
  })
  try {
    await work()
    return false
  } catch (error) {
    expect(error).to.have.property('message', 'killed')
    return true
  }
}
