import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { isCrawlError } from '../../lib/errors/crawl-error.js'
import { checkNames, readModule } from '../../lib/plugin/read-module.js'
import { failureOf } from '../support/stream-probe.js'

const setup = { config: configWith(), options: { a: 'b' } }
const read = (namespace: unknown) => readModule({ file: '/p.mjs', digest: 'd', namespace }, setup)
const filter = { name: 'f', accepts: () => true }

describe('readModule', () => {
  it('gives the plugins of all points', async () => {
    const namespace = {
      apiVersion: 1,
      stage: { name: 's', run: () => [] },
      scoring: { name: 'c', update: () => undefined },
      urlFilter: filter,
      helper: 'other exports are the own business of the module',
    }
    const loaded = await read(namespace)
    expect(loaded.map(({ point, plugin, module, digest }) => `${point} ${plugin.name} ${module} ${digest}`)).to.deep.equal([
      'urlFilter f /p.mjs d',
      'scoring c /p.mjs d',
      'stage s /p.mjs d',
    ])
    expect(loaded[0]?.plugin).to.equal(filter)
  })

  for (const { what, urlFilter } of [
    { what: 'a list', urlFilter: [filter, { ...filter, name: 'g' }] },
    { what: 'a function of the setup', urlFilter: ({ options }: typeof setup) => [filter, { ...filter, name: options.a === 'b' ? 'g' : 'h' }] },
    { what: 'a function that takes its time', urlFilter: async () => [filter, { ...filter, name: 'g' }] },
  ])
    it(`takes ${what}`, async () => expect((await read({ apiVersion: 1, urlFilter })).map(({ plugin }) => plugin.name)).to.deep.equal(['f', 'g']))

  it('takes what a CommonJS module exports', async () => expect(await read({ default: { apiVersion: 1, urlFilter: filter } })).to.have.length(1))

  for (const { namespace, message } of [
    { namespace: {}, message: '/p.mjs: apiVersion: is missing; export const apiVersion = 1 is wanted' },
    { namespace: undefined, message: '/p.mjs: apiVersion: is missing; export const apiVersion = 1 is wanted' },
    { namespace: { apiVersion: 2, urlFilter: filter }, message: '/p.mjs: apiVersion: is 2; this Millrace loads 1' },
    { namespace: { apiVersion: '1', urlFilter: filter }, message: '/p.mjs: apiVersion: is "1"; this Millrace loads 1' },
    {
      namespace: { apiVersion: 1 },
      message: '/p.mjs: the module: exports none of normalizer, urlFilter, scoring, parseFilter, indexingFilter, stage',
    },
    { namespace: { apiVersion: 1, urlFilters: filter }, message: /it exports urlFilters.*urlFilter/ },
    { namespace: { apiVersion: 1, urlFilter: 1 }, message: '/p.mjs: urlFilter: an object, a list of them, or a function that gives them is wanted' },
    {
      namespace: { apiVersion: 1, urlFilter: { accepts: () => true } },
      message: '/p.mjs: urlFilter: name is undefined; letters, digits, . _ and - are wanted',
    },
    {
      namespace: { apiVersion: 1, urlFilter: { ...filter, name: 'a b' } },
      message: '/p.mjs: urlFilter: name is "a b"; letters, digits, . _ and - are wanted',
    },
    { namespace: { apiVersion: 1, urlFilter: { name: 'f' } }, message: '/p.mjs: urlFilter: f has no function accepts' },
    { namespace: { apiVersion: 1, normalizer: { name: 'f', normalize: 'x' } }, message: '/p.mjs: normalizer: f has no function normalize' },
    { namespace: { apiVersion: 1, parseFilter: { name: 'f' } }, message: '/p.mjs: parseFilter: f has none of the functions observe, filter' },
    { namespace: { apiVersion: 1, scoring: { name: 'f', update: () => 1, initial: 2 } }, message: '/p.mjs: scoring: f: initial is no function' },
    {
      namespace: {
        apiVersion: 1,
        stage: () => {
          throw new Error('not today')
        },
      },
      message: '/p.mjs: stage: its function threw',
    },
  ])
    it(`refuses: ${message}`, async () => {
      const failure = await failureOf(read(namespace))
      expect(failure).to.satisfy((error: unknown) => isCrawlError(error, 'PLUGIN_INVALID'))
      if (typeof message === 'string') expect(failure).to.have.property('message', message)
      else expect(failure).to.have.property('message').that.matches(message)
    })

  it('refuses two of one name, and names that are taken', async () => {
    const loaded = await read({ apiVersion: 1, urlFilter: [filter, filter], stage: { name: 'f', run: () => [] } })
    expect(() => checkNames(loaded, {})).to.throw('/p.mjs: urlFilter: f is there already, from /p.mjs')
    expect(() => checkNames(loaded.slice(1), { urlFilter: ['regex', 'f'] })).to.throw('/p.mjs: urlFilter: f is the name of a built-in one')
    expect(() => checkNames(loaded.slice(1), { scoring: ['f'] })).to.not.throw()
  })
})
