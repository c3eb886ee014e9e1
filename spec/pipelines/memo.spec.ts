import { expect } from 'chai'
import { remembering } from '../../pipelines/memo.js'

describe('remembering', () => {
  it('asks once for what was asked lately, also where the answer is undefined, and keeps at most two generations', () => {
    const asked: string[] = []
    const answer = remembering((text: string) => {
      asked.push(text)
      return text === 'none' ? undefined : text.toUpperCase()
    }, 2)
    expect([answer('a'), answer('none'), answer('a'), answer('none')]).to.deep.equal(['A', undefined, 'A', undefined])
    expect(asked).to.deep.equal(['a', 'none'])
    for (const text of ['b', 'c', 'd', 'e']) answer(text)
    expect(answer('a')).to.equal('A')
    expect(asked).to.deep.equal(['a', 'none', 'b', 'c', 'd', 'e', 'a'])
  })
})
