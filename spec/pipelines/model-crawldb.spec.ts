import { checkHistories } from '../support/model-history.js'

describe('the CrawlDb and a naive model of it', () => {
  it('hold the same records through 200 random histories of inject, generate, outcomes, updatedb, dedup, time and kills', () =>
    checkHistories(200)).timeout(120_000)
})
