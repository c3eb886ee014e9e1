import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectRoot } from '../support/paths.js'

/** Calls that leave plugins out, where a command has some. */
const withoutPlugins =
  /\bcreateUrlRules\(|\bcreatePagePool\([^,)]*\)|\bcreateScoring\([^,)]*\)|\bcreateJobContext\((?!\{ plugins)|\bcheckPage\([^,)]*,[^,)]*\)/

describe('commands', () => {
  it('hand plugins on to all that they start', () => {
    const folder = join(projectRoot, 'pipelines/cli')
    const files = readdirSync(folder).filter(name => name.endsWith('.ts'))
    expect(files.length).to.be.above(30)
    expect(files.filter(name => withoutPlugins.test(readFileSync(join(folder, name), 'utf8')))).to.deep.equal([])
  })

  it('this spec sees calls that do not', () => {
    for (const call of [
      'createUrlRules(job.config)',
      'createPagePool(config)',
      'createScoring(config)',
      'createJobContext({ folder })',
      'checkPage(page, config)',
    ])
      expect(call).to.match(withoutPlugins)
    for (const call of ['urlRulesOf(job)', 'createPagePool(config, plugins)', 'createScoring(config, plugins)'])
      expect(call).not.to.match(withoutPlugins)
  })
})
