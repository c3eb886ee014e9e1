import { expect } from 'chai'
import { boolean, choice, type Field, integer, minutesToMs, number, secondsToMs, string, stringList } from '../../lib/config/field.js'

const common = { property: 'x.y', text: 'About it.' }
const refused = Symbol('refused')

function outcome(field: Field<unknown>, raw: unknown): unknown {
  try {
    return field.parse(raw)
  } catch {
    return refused
  }
}

const integers = integer({ ...common, default: 1, min: 0, max: 10 })
const numbers = number({ ...common, default: 1 })
const seconds = secondsToMs({ ...common, default: 5, min: -1 })
const minutes = minutesToMs({ ...common, default: -1 })
const truths = boolean({ ...common, default: false })
const texts = string({ ...common, default: '' })
const lists = stringList({ ...common, default: '' })
const choices = choice({ ...common, choices: ['host', 'domain'], default: 'host', aliases: { byHost: 'host' } })

describe('config fields', () => {
  for (const { field, name, raw, value } of [
    { field: integers, name: 'integer', raw: 3, value: 3 },
    { field: integers, name: 'integer', raw: '3', value: 3 },
    { field: integers, name: 'integer', raw: ' 3 ', value: 3 },
    { field: integers, name: 'integer', raw: '3.5', value: refused },
    { field: integers, name: 'integer', raw: -1, value: refused },
    { field: integers, name: 'integer', raw: 11, value: refused },
    { field: integers, name: 'integer', raw: '', value: refused },
    { field: integers, name: 'integer', raw: ' ', value: refused },
    { field: integers, name: 'integer', raw: '3x', value: refused },
    { field: integers, name: 'integer', raw: 'NaN', value: refused },
    { field: integers, name: 'integer', raw: true, value: refused },
    { field: integers, name: 'integer', raw: null, value: refused },
    { field: integers, name: 'integer', raw: undefined, value: refused },
    { field: numbers, name: 'number', raw: '-2.5e3', value: -2500 },
    { field: numbers, name: 'number', raw: 'Infinity', value: refused },
    { field: numbers, name: 'number', raw: Number.NaN, value: refused },
    { field: numbers, name: 'number', raw: '1e400', value: refused },
    { field: numbers, name: 'number', raw: [1], value: refused },
    { field: seconds, name: 'seconds', raw: '0.25', value: 250 },
    { field: seconds, name: 'seconds', raw: 5, value: 5000 },
    { field: seconds, name: 'seconds', raw: -1, value: -1 },
    { field: seconds, name: 'seconds', raw: -2, value: refused },
    { field: minutes, name: 'minutes', raw: '1.5', value: 90_000 },
    { field: minutes, name: 'minutes', raw: -7, value: -1 },
    { field: truths, name: 'boolean', raw: true, value: true },
    { field: truths, name: 'boolean', raw: 'true', value: true },
    { field: truths, name: 'boolean', raw: ' TRUE ', value: true },
    { field: truths, name: 'boolean', raw: 'False', value: false },
    { field: truths, name: 'boolean', raw: 'yes', value: refused },
    { field: truths, name: 'boolean', raw: 1, value: refused },
    { field: texts, name: 'text', raw: 'a b', value: 'a b' },
    { field: texts, name: 'text', raw: 5, value: '5' },
    { field: texts, name: 'text', raw: ['a'], value: refused },
    { field: lists, name: 'list', raw: 'a, b,,c\n d', value: ['a', 'b', 'c', 'd'] },
    { field: lists, name: 'list', raw: '', value: [] },
    { field: lists, name: 'list', raw: ['a,b', 'c'], value: ['a,b', 'c'] },
    { field: lists, name: 'list', raw: [1], value: refused },
    { field: choices, name: 'choice', raw: 'domain', value: 'domain' },
    { field: choices, name: 'choice', raw: 'byHost', value: 'host' },
    { field: choices, name: 'choice', raw: 'ip', value: refused },
    { field: choices, name: 'choice', raw: 'constructor', value: refused },
  ]) {
    it(`${name}: ${JSON.stringify(raw)} is ${value === refused ? 'refused' : JSON.stringify(value)}`, () => {
      expect(outcome(field, raw)).to.deep.equal(value)
    })
  }

  it('say what they are, for help and README', () => {
    expect(integers).to.include({ property: 'x.y', type: 'integer', default: 1, min: 0, max: 10, isNutch: true, text: 'About it.' })
    expect(seconds).to.include({ unit: 's', type: 'number' })
    expect(minutes).to.include({ unit: 'min' })
    expect(choices.choices).to.deep.equal(['host', 'domain'])
    expect(string({ ...common, nutch: false, default: '' }).isNutch).to.equal(false)
  })
})
