import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { shownUrl } from '../../lib/url/shown-url.js'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('What is shown of a URL that is none', () => {
  for (const { text, shown, why } of [
    { text: 'http://a.example:99999/b', shown: 'http://a.example:99999/b', why: 'no user in it' },
    { text: 'http://us er:secret@a.example/b', shown: 'http://***@a.example/b', why: 'user and password' },
    { text: 'http://token@a b/', shown: 'http://***@a b/', why: 'a user alone may be a token' },
    { text: 'http://me:p@ss@a b/', shown: 'http://***@a b/', why: 'an @ in the password' },
    { text: 'http://me:se/cret@a.example/', shown: 'http://***@a.example/', why: 'a slash in the password' },
    { text: 'http://me:se#cret@a.example/', shown: 'http://***@a.example/', why: 'a # in the password' },
    { text: 'http://me:se?cret@a.example/', shown: 'http://***@a.example/', why: 'a question mark in the password' },
    { text: 'me:secret@a.example', shown: '***@a.example', why: 'no scheme' },
    { text: 'http://a b/c@d', shown: 'http://a b/c@d', why: 'an @ in the path' },
    { text: 'http://[::zz]:80/c@d', shown: 'http://[::zz]:80/c@d', why: 'colons of an address' },
    { text: 'http:///', shown: 'http:///', why: 'nothing behind the slashes' },
    { text: '', shown: '', why: 'nothing' },
    { text: `http://a b/${'x'.repeat(300)}`, shown: `http://a b/${'x'.repeat(189)}…`, why: 'too long' },
  ])
    it(`${JSON.stringify(text.slice(0, 40))} (${why})`, () => expect(shownUrl(text)).to.equal(shown))

  const newFolder = useTempFolders()
  it('holds no password where seeds are injected, listed or crawled', async () => {
    const seeds = join(newFolder(), 'seeds.txt')
    writeFileSync(seeds, 'http://me:se#cret@a.example/\nhttps://me:secret@b example/\n')
    for (const command of [
      ['inject', newFolder(), seeds],
      ['freegen', newFolder(), seeds],
      ['crawl', newFolder(), '--seeds', seeds, '--rounds', '1'],
      ['sitemap', newFolder(), 'https://me:secret@b example/'],
    ]) {
      const { log } = await runCommand([...command, '-D', 'http.agent.name=testbot', '-D', 'millrace.workers=0'])
      const told = log.filter(line => line.includes('***@'))
      expect(told.length, command[0]).to.be.above(0)
      expect(log.join('\n'), command[0]).not.to.match(/se#?cret/)
    }
  })
})
