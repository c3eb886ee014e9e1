import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { askNameServers, type NameServersOptions } from '../../lib/fetch/name-servers.js'
import { useTempFolders } from '../support/temp-folder.js'
import { type NameServer, startNameServer, type ZoneEntry } from './name-server.js'

const ofSystem = [{ address: '198.51.100.9', family: 4 }]
const silentNames = Array.from({ length: 40 }, (_, index) => `silent${index}.example`)
const silent: ZoneEntry = { silentFor: ['A', 'AAAA'] }
const zone: Readonly<Record<string, ZoneEntry>> = {
  'both.example': { A: '192.0.2.1', AAAA: '2001:db8::1' },
  'four.example': { A: '192.0.2.2' },
  'six.example': { AAAA: '2001:db8::2' },
  'none.example': {},
  'fails.example': { fails: true },
  'fails-here.example': { fails: true },
  'old-server.example': { A: '192.0.2.7', silentFor: ['AAAA'] },
  'slow-four.example': { A: '192.0.2.8', AAAA: '2001:db8::8', delayMs: 80 },
  'alias.example': { CNAME: 'elsewhere.example', A: '192.0.2.10', delayMs: 80 },
  'third-time.example': { A: '192.0.2.11', unanswered: 2 },
  'in-hosts.example': { A: '192.0.2.3' },
  'printer.local': { A: '192.0.2.4' },
  localhost: { A: '192.0.2.5' },
  ...Object.fromEntries(silentNames.map(name => [name, silent])),
}

describe('asking name servers', () => {
  const newFolder = useTempFolders()
  let server: NameServer
  let hostsFile: string

  before(async () => {
    server = await startNameServer(zone)
    hostsFile = join(newFolder(), 'hosts')
    writeFileSync(hostsFile, '127.0.0.1 localhost\n10.0.0.1\tOTHER.example in-hosts.example # a comment\n#10.0.0.2 four.example\n')
  })
  after(() => server.close())

  const resolverWith = (
    options: NameServersOptions = {},
  ): { readonly resolve: ReturnType<typeof askNameServers>; readonly askedSystem: string[] } => {
    const askedSystem: string[] = []
    const system = async (hostname: string) => {
      askedSystem.push(hostname)
      return ofSystem
    }
    return { resolve: askNameServers({ servers: [server.address], system, hostsFile, ...options }), askedSystem }
  }

  for (const { host, family, addresses } of [
    { host: 'both.example', addresses: ['192.0.2.1', '2001:db8::1'] },
    { host: 'both.example', family: 4, addresses: ['192.0.2.1'] },
    { host: 'both.example', family: 6, addresses: ['2001:db8::1'] },
    { host: 'four.example', addresses: ['192.0.2.2'] },
    { host: 'six.example', addresses: ['2001:db8::2'] },
    { host: 'old-server.example', addresses: ['192.0.2.7'] },
    { host: 'slow-four.example', addresses: ['192.0.2.8', '2001:db8::8'] },
    { host: 'alias.example', addresses: ['192.0.2.10'] },
  ] as const)
    it(`gives ${addresses.join(' and ')} for ${host}${family === undefined ? '' : `, version ${family} wanted`}`, async () => {
      const { resolve, askedSystem } = resolverWith({ ...(family === undefined ? {} : { family }) })
      expect((await resolve(host)).map(({ address }) => address)).to.deep.equal(addresses)
      expect(askedSystem).to.deep.equal([])
    })

  for (const { host, isAsked, why } of [
    { host: 'in-hosts.example', isAsked: false, why: 'it stands in the file of names' },
    { host: 'Other.Example', isAsked: false, why: 'the file is read without regard to case' },
    { host: 'localhost', isAsked: false, why: 'a single label' },
    { host: 'a.localhost', isAsked: false, why: 'RFC 6761' },
    { host: 'printer.local', isAsked: false, why: 'multicast DNS' },
    { host: 'localhost.', isAsked: false, why: 'a single label and the dot of the root' },
    { host: 'in-hosts.example.', isAsked: false, why: 'it stands in the file of names, without the dot of the root' },
    { host: 'unknown.example', isAsked: true, why: 'no name server knows it' },
    { host: 'none.example', isAsked: true, why: 'it has no address there' },
  ])
    it(`leaves ${host} to the system: ${why}`, async () => {
      const { resolve, askedSystem } = resolverWith()
      const before = server.asked.length
      expect(await resolve(host)).to.equal(ofSystem)
      expect(askedSystem).to.deep.equal([host.replace(/\.$/, '')])
      expect(server.asked.slice(before).some(question => question.endsWith(host))).to.equal(isAsked)
    })

  it('leaves all to the system where there is no name server', async () => {
    const { resolve } = resolverWith({ servers: ['127.0.0.1:9'] })
    expect(await resolve('four.example')).to.equal(ofSystem)
  })

  it('asks anew where the servers were waited for too shortly', async () => {
    const { resolve, askedSystem } = resolverWith({ timeoutMs: 20, family: 4 })
    expect(await resolve('third-time.example')).to.deep.equal([{ address: '192.0.2.11', family: 4 }])
    expect(askedSystem).to.deep.equal([])
  })

  it('asks the next server where the first is at fault', async () => {
    const other = await startNameServer({ 'fails-here.example': { A: '192.0.2.12' } })
    try {
      const { resolve, askedSystem } = resolverWith({ servers: [server.address, other.address], family: 4 })
      expect(await resolve('fails-here.example')).to.deep.equal([{ address: '192.0.2.12', family: 4 }])
      expect(askedSystem).to.deep.equal([])
    } finally {
      other.close()
    }
  })

  it('sees what was added to the file of names', async () => {
    const { resolve, askedSystem } = resolverWith()
    await resolve('four.example')
    const names = readFileSync(hostsFile, 'utf8')
    writeFileSync(hostsFile, `${names}10.0.0.9 four.example\n`)
    utimesSync(hostsFile, 1, 1) // a file that is written twice in one tick of the clock may bear the same time
    await resolve('four.example')
    expect(askedSystem).to.deep.equal(['four.example'])
    writeFileSync(hostsFile, names)
  })

  for (const { host, code } of [
    { host: 'fails.example', code: 'ESERVFAIL' },
    { host: 'silent0.example', code: 'ETIMEOUT' },
  ])
    it(`fails with ${code} for ${host}, and does not ask the system, which would wait as long again`, async () => {
      const { resolve, askedSystem } = resolverWith({ timeoutMs: 20 })
      expect(await resolve(host).catch(error => error)).to.have.property('code', code)
      expect(askedSystem).to.deep.equal([])
    })

  it('waits for any number of silent servers without holding another name up', async () => {
    const { resolve } = resolverWith({ timeoutMs: 300 })
    const ended: string[] = []
    const silent = silentNames.map(async name => {
      await resolve(name).catch(() => undefined)
      ended.push(name)
    })
    await resolve('both.example')
    expect(ended).to.deep.equal([])
    await Promise.all(silent)
  })
})
