import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { pointNames } from '../../lib/plugin/plugin-points.js'
import { projectRoot } from '../support/paths.js'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'

const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8')

describe('README on plugins', () => {
  const newFolder = useTempFolders()

  it('has an example that works', async () => {
    const text = /<!-- example: plugin -->\n```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
    const file = join(newFolder(), 'no-drafts.mjs')
    writeFileSync(file, text)
    const args = ['--explain', '-D', `millrace.plugins=${file}`, '-D', 'urlfilter.regex.rules=+.']
    const { stdout } = await runCommand(['filter', 'http://a.test/draft/1', 'http://a.test/1', ...args])
    expect(
      stdout
        .split('\n')
        .map(line => line.split('\t')[1] ?? '')
        .filter(json => json !== '')
        .map(json => (JSON.parse(json) as { accepted: boolean }).accepted),
    ).to.deep.equal([false, true])
    expect(stdout).to.contain('drafts are not for readers')
  })

  it('names every point', () => {
    for (const point of pointNames) expect(readme).to.match(new RegExp(`^\\| \`${point}\` \\|`, 'm'))
  })
})
