import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeReport } from '../../support/play-report.js'

const normalized = [
  { raw: 'http://a.example/d/NjAxOA%3d%3d', url: 'http://a.example/d/NjAxOA%3D%3D' },
  { raw: 'http://a.example/s%e2%84%a2/p%2d1/%7Eu?q=f%2fx', url: 'http://a.example/s%E2%84%A2/p-1/~u?q=f%2Fx' },
  { raw: 'http://a.example/a%2fb', url: 'http://a.example/a%2Fb' },
  { raw: 'http://a.example/100%/x?q=5%&z=%4', url: 'http://a.example/100%25/x?q=5%25&z=%254' },
  { raw: 'http://a.example/p%zz%77', url: 'http://a.example/p%25zzw' },
  { raw: 'https://a.example/p%2d1/p%2d2/?q=f', url: 'https://a.example/p-1/p-2/?q=f' },
] as const

describeReport('R001', ['normalize'], play => {
  it('normalizes percent-encoding once and for all', async () => {
    const urls = normalized.map(({ url }) => url)
    const once = await play.run(['normalize'], { stdin: normalized.map(({ raw }) => `${raw}\n`).join('') })
    expect(once.status, once.stderr).to.equal(0)
    expect(once.records().map(({ key }) => key)).to.deep.equal(urls)
    const twice = await play.run(['normalize'], { stdin: urls.map(url => `${url}\n`).join('') })
    expect(twice.records().map(({ key }) => key)).to.deep.equal(urls)
  })
})

describeReport('R004', ['filter'], play => {
  it('judges a long path by a rule that backtracks, in time', async () => {
    writeFileSync(join(play.folder(), 'rules.txt'), '-.*(/.+?)/.*?\\1/.*?\\1/\n+.\n')
    const long = `http://a.example/${Array.from({ length: 400 }, (_, number) => number.toString(36)).join('/')}`
    const repeated = 'http://a.example/a/x/a/y/a/z'
    const short = 'http://a.example/s'
    const result = await play.run(['filter', '--rules', 'rules.txt'], { stdin: [long, repeated, short].map(url => `${url}\n`).join('') })
    expect(result.status, result.stderr).to.equal(0)
    expect(result.elapsedMs).to.be.below(3000)
    const kept = result.lines().map(line => line.split('\t')[0])
    expect(kept).to.include(short).and.not.include(repeated)
    if (!kept.includes(long)) expect(result.stderr).to.match(/rules\.txt/)
  })
})
