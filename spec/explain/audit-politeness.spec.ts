import { expect } from 'chai'
import { type AuditedRequest, PolitenessAuditor, type QueueAudit } from '../../lib/explain/audit-politeness.js'

type Short = readonly [startMs: number, endMs: number, dueMs: number, more?: Partial<AuditedRequest>]

function audit(requests: readonly Short[], queueLimit = 1): QueueAudit {
  const auditor = new PolitenessAuditor()
  for (const [startMs, endMs, dueMs, more] of requests)
    auditor.add({ url: 'http://a.example/', startMs, endMs, dueMs, source: 'option', queueLimit, kind: 'page', ...more })
  return auditor.audit()
}

const robots = { kind: 'robots' } as const
const retry = { source: 'retry-after' } as const
const crawlDelay = { source: 'crawl-delay' } as const

describe('the audit of a queue', () => {
  for (const { why, requests, atOnce = 1, violations } of [
    { why: 'one request', requests: [[0, 100, 0]], violations: 0 },
    {
      why: 'gaps as due',
      requests: [
        [0, 100, 0],
        [1100, 1200, 1000],
        [2200, 2300, 1000],
      ],
      violations: 0,
    },
    {
      why: 'a gap that is too short',
      requests: [
        [0, 100, 0],
        [1000, 1200, 1000],
        [2200, 2300, 1000],
      ],
      violations: 1,
    },
    {
      why: 'a millisecond that two clocks differ by',
      requests: [
        [0, 100, 0],
        [1099, 1200, 1000],
      ],
      violations: 0,
    },
    {
      why: 'a request while another is under way',
      requests: [
        [0, 1000, 0],
        [500, 600, 0],
      ],
      violations: 1,
    },
    {
      why: 'a long request that outlasts the next',
      requests: [
        [0, 5000, 0],
        [100, 200, 0],
        [5500, 5600, 1000],
      ],
      violations: 2,
    },
    {
      why: 'two at once where two may be',
      requests: [
        [0, 1000, 0],
        [500, 600, 0],
        [700, 800, 100],
      ],
      atOnce: 2,
      violations: 0,
    },
    {
      why: 'one that ends in the moment in which two others begin, where three may be at once',
      requests: [
        [0, 100, 0],
        [0, 120, 0],
        [120, 300, 20],
        [120, 300, 20],
      ],
      atOnce: 3,
      violations: 0,
    },
    {
      why: 'one that ended well before another begins, where three may be at once',
      requests: [
        [0, 100, 0],
        [0, 120, 0],
        [125, 300, 20],
      ],
      atOnce: 3,
      violations: 1,
    },
    {
      why: 'three at once where two may be',
      requests: [
        [0, 1000, 0],
        [500, 900, 0],
        [700, 800, 0],
      ],
      atOnce: 2,
      violations: 1,
    },
    {
      why: 'two at once under a Crawl-delay',
      requests: [
        [0, 1000, 0],
        [500, 600, 300, crawlDelay],
      ],
      atOnce: 2,
      violations: 1,
    },
    {
      why: 'Retry-After of an earlier one of two at once',
      requests: [
        [0, 100, 0],
        [50, 800, 0],
        [1100, 1200, 1000, retry],
      ],
      atOnce: 2,
      violations: 0,
    },
    {
      why: 'Retry-After that none of two at once has kept',
      requests: [
        [0, 100, 0],
        [50, 800, 0],
        [900, 1200, 1000, retry],
      ],
      atOnce: 2,
      violations: 1,
    },
    {
      why: 'robots.txt too soon after a restart that knew nothing',
      requests: [
        [0, 100, 0],
        [1100, 1200, 1000],
        [1300, 1400, 0, robots],
      ],
      violations: 1,
    },
    {
      why: 'robots.txt in time after a restart',
      requests: [
        [0, 100, 0],
        [1100, 1200, 1000],
        [2200, 2300, 0, robots],
      ],
      violations: 0,
    },
    {
      why: 'runs that allowed more at once, then fewer',
      requests: [
        [0, 1000, 0, { queueLimit: 2 }],
        [500, 600, 0, { queueLimit: 2 }],
        [2000, 2100, 1000],
        [2050, 2200, 0],
      ],
      violations: 1,
    },
    {
      why: 'robots.txt of another origin in a later run without a delay',
      requests: [
        [0, 100, 0],
        [1100, 1200, 1000],
        [9000, 9100, 0, robots],
        [9101, 9102, 0],
        [9103, 9104, 0, robots],
      ],
      violations: 0,
    },
    {
      why: 'pages of a later run without a delay',
      requests: [
        [0, 100, 0],
        [1100, 1200, 1000],
        [9000, 9100, 0, robots],
        [9101, 9102, 0],
      ],
      violations: 0,
    },
  ] as readonly { why: string; requests: readonly Short[]; atOnce?: number; violations: number }[])
    it(`finds ${violations} violations in ${why}`, () => expect(audit(requests, atOnce).violations).to.equal(violations))

  it('says what it found: gaps, delays by source, the copy of robots.txt, and where it was too soon', () => {
    const found = audit([
      [1000, 1100, 0, robots],
      [2100, 2200, 1000, { robotsFetchedMs: 1100 }],
      [3300, 3400, 1000, { robotsFetchedMs: 1100 }],
      [4500, 4600, 1000, { kind: 'sitemap' }],
      [5100, 5200, 2000, { ...retry, url: 'http://a.example/x', robotsFetchedMs: 1100 }],
    ])
    expect(found).to.deep.equal({
      requests: 5,
      robotsRequests: 1,
      otherRequests: 1,
      smallestGapMs: 500,
      medianGapMs: 1000,
      mostAtOnce: 1,
      delays: [
        { source: 'option', leastMs: 0, mostMs: 1000, requests: 4 },
        { source: 'retry-after', leastMs: 2000, mostMs: 2000, requests: 1 },
      ],
      robotsFetchedMs: 1100,
      robotsAgeMs: 4000,
      violations: 1,
      examples: [{ url: 'http://a.example/x', startMs: 5100, gapMs: 500, dueMs: 2000, source: 'retry-after' }],
    })
  })

  it('keeps the median of any number of gaps within a percent, in bounded memory', () => {
    const auditor = new PolitenessAuditor()
    let atMs = 0
    for (let count = 0; count < 100_000; count++) {
      atMs += 1000 + ((count * 7919) % 1000)
      auditor.add({ url: 'http://a.example/', startMs: atMs, endMs: atMs, dueMs: 1000, source: 'option', queueLimit: 1, kind: 'page' })
    }
    const { medianGapMs, violations } = auditor.audit()
    expect(medianGapMs).to.be.within(1485, 1515)
    expect(violations).to.equal(0)
  })
})
