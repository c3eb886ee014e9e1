import { expect } from 'chai'
import { isFullSegment, isWorthRolling, type RollFacts } from '../../pipelines/roll-rule.js'

const some: RollFacts = { pages: 4, ageMs: 3000, closed: 10, lastMergeMs: 0, isIdle: false }

describe('when a continuous crawl closes a segment', () => {
  for (const { facts, fullSegments = 0, pagesLeft = Number.POSITIVE_INFINITY, isFull, why } of [
    { facts: { pages: 499, ageMs: 0 }, isFull: false, why: 'the first is small' },
    { facts: { pages: 500, ageMs: 0 }, isFull: true, why: 'the first is small' },
    { facts: { pages: 500, ageMs: 0 }, fullSegments: 1, isFull: false, why: 'the next is twice as large' },
    { facts: { pages: 20_000, ageMs: 0 }, fullSegments: 50, isFull: true, why: 'none is larger than the option' },
    { facts: { pages: 1, ageMs: 120_000 }, fullSegments: 9, isFull: true, why: 'its age' },
    { facts: { pages: 1000, ageMs: 0 }, fullSegments: 9, pagesLeft: 1000, isFull: true, why: 'as much is left to fetch' },
    { facts: { pages: 999, ageMs: 0 }, fullSegments: 9, pagesLeft: 1001, isFull: false, why: 'more is left to fetch' },
    { facts: { pages: 249, ageMs: 0 }, fullSegments: 9, pagesLeft: 0, isFull: false, why: 'too few to be closed before the crawl ends' },
    { facts: { pages: 500, ageMs: 0 }, pagesLeft: 9000, isFull: true, why: 'the first is small, whatever is left' },
  ])
    it(`${facts.pages} pages, ${facts.ageMs} ms, ${fullSegments} before, ${pagesLeft} left: ${isFull ? 'full' : 'not full'} (${why})`, () =>
      expect(isFullSegment({ ...facts, fullSegments, pagesLeft }, { rollPages: 20_000, rollAgeMs: 120_000 })).to.equal(isFull))

  for (const { facts, isWorth, why } of [
    { facts: {}, isWorth: false, why: 'a few pages while others are fetched from' },
    { facts: { pages: 64 }, isWorth: true, why: 'enough pages' },
    { facts: { pages: 64, ageMs: 1000 }, isWorth: false, why: 'the last was a moment ago' },
    { facts: { pages: 64, ageMs: 250, closed: 0 }, isWorth: true, why: 'the first comes soon' },
    { facts: { pages: 64, ageMs: 400, closed: 1 }, isWorth: false, why: 'the next a little later' },
    { facts: { pages: 64, ageMs: 500, closed: 1 }, isWorth: true, why: 'the next a little later' },
    { facts: { pages: 64, lastMergeMs: 1000 }, isWorth: false, why: 'the last merge has not paid off' },
    { facts: { ageMs: 15_000 }, isWorth: true, why: 'long enough for any page' },
    { facts: { isIdle: true }, isWorth: true, why: 'all others wait for their time: nothing is lost' },
    { facts: { isIdle: true, ageMs: 1000 }, isWorth: false, why: 'idle, but the last was a moment ago' },
    { facts: { isIdle: true, lastMergeMs: 1000 }, isWorth: false, why: 'idle, but the last merge has not paid off' },
  ])
    it(`for queues that ran dry ${JSON.stringify(facts)}: ${isWorth ? 'yes' : 'no'} (${why})`, () =>
      expect(isWorthRolling({ ...some, ...facts })).to.equal(isWorth))
})
