import { expect } from 'chai'
import { bareReturnsAsFeeds } from '../../lib/stream/bare-returns.js'

describe('bareReturnsAsFeeds', () => {
  async function changed(chunks: readonly (Uint8Array | string)[]): Promise<string> {
    const parts: Uint8Array[] = []
    const source = async function* () {
      yield* chunks
    }
    for await (const part of bareReturnsAsFeeds(source())) parts.push(part)
    return Buffer.concat(parts).toString()
  }

  for (const { input, output } of [
    { input: '', output: '' },
    { input: 'a\nb', output: 'a\nb' },
    { input: 'a\r\nb\r\n', output: 'a\r\nb\r\n' },
    { input: 'a\rb\rc', output: 'a\nb\nc' },
    { input: 'a\rb\r\nc\nd\r', output: 'a\nb\r\nc\nd\n' },
    { input: 'a\r\r\nb', output: 'a\n\r\nb' },
    { input: '\r\r\r', output: '\n\n\n' },
    { input: 'ü\r€', output: 'ü\n€' },
  ])
    it(`makes ${JSON.stringify(output)} of ${JSON.stringify(input)}, whole and byte by byte`, async () => {
      const bytes = Buffer.from(input)
      expect(await changed([input])).to.equal(output)
      expect(await changed([...bytes].flatMap(byte => [Buffer.of(byte), Buffer.alloc(0)]))).to.equal(output)
      expect(bytes.toString(), 'what was given is left as it is').to.equal(input)
    })
})
