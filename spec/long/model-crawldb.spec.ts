import { checkHistories } from '../support/model-history.js'

describe('the CrawlDb and a naive model of it, at length', () => {
  it('hold the same records through 2000 random histories', () => checkHistories(2000))
})
