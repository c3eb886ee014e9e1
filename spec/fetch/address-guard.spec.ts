import { expect } from 'chai'
import { createAddressGuard } from '../../lib/fetch/address-guard.js'
import { startServer } from '../support/server.js'
import { setUpFetch } from './fetch-setup.js'

const special = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:169.254.169.254',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a01:203',
  '2002:7f00:1::',
  '2002:c0a8:101::1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001:db8::1',
  '2001::1',
  '64:ff9b:1:7f00:0:100:808:808',
  '64:ff9b:2::808:808',
  '100:0:0:1::1',
  '200::1',
  '4000::1',
  '::2:0:0:1',
  '::ffff:0:0:7f00:1',
  'fe00::1',
  '2606:4700::5efe:7f00:1',
  '2606:4700::200:5efe:a9fe:a9fe',
  'fe80::5efe:808:808',
  'localhost',
  '',
]

describe('the address guard', () => {
  const guard = createAddressGuard()
  for (const address of special) it(`refuses ${address || 'nothing'}`, () => expect(guard.refusal(address)).to.be.a('string'))
  for (const address of [
    '93.184.215.14',
    '8.8.8.8',
    '172.32.0.1',
    '192.169.0.1',
    '2606:4700:4700::1111',
    '64:ff9b::808:808',
    '2002:808:808::1',
    '2606:4700::5efe:808:808',
  ])
    it(`lets ${address} pass`, () => expect(guard.refusal(address)).to.equal(undefined))

  for (const { allow, opened, closed } of [
    { allow: ['loopback'], opened: ['127.0.0.9', '::1', '::ffff:127.0.0.1'], closed: ['10.0.0.1', '169.254.169.254', '0.0.0.0'] },
    { allow: ['private'], opened: ['10.0.0.1', '192.168.0.1', 'fd00::1'], closed: ['127.0.0.1', '169.254.169.254', '100.64.0.1'] },
    { allow: ['private'], opened: ['fd00:ec2::253'], closed: ['fd00:ec2::254', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', '168.63.129.16'] },
    { allow: ['fd00:ec2::/32', '168.63.129.16'], opened: ['fd00:ec2::254', '168.63.129.16'], closed: ['fd20:ce::254'] },
    { allow: ['192.168.7.0/24'], opened: ['192.168.7.9', '::ffff:192.168.7.9'], closed: ['192.168.8.1'] },
    { allow: ['169.254.169.254'], opened: ['169.254.169.254'], closed: ['169.254.169.253'] },
    { allow: ['fd12::/16'], opened: ['fd12::1'], closed: ['fd13::1'] },
  ])
    it(`opened for ${allow.join()}`, () => {
      const open = createAddressGuard({ allow })
      for (const address of opened) expect(open.refusal(address), address).to.equal(undefined)
      for (const address of closed) expect(open.refusal(address), address).to.be.a('string')
    })

  it('keeps to include and exclude lists', () => {
    const listed = createAddressGuard({ allow: ['loopback'], include: ['127.0.0.0/8', '8.8.0.0/16'], exclude: ['127.0.0.2'] })
    expect(['127.0.0.1', '127.0.0.2', '8.8.8.8', '9.9.9.9'].map(address => listed.refusal(address) === undefined)).to.deep.equal([
      true,
      false,
      true,
      false,
    ])
  })

  it('refuses an entry that means nothing', () => {
    for (const entry of ['looback', '300.1.1.1', '10.0.0.0/99', ''])
      expect(() => createAddressGuard({ allow: [entry] }), entry)
        .to.throw()
        .with.property('code', 'CONFIG_INVALID')
  })
})

describe('guarded requests', () => {
  const urls = ['127.0.0.1', '0x7f.1', '2130706433', '017700000001', '[::1]', '[::ffff:7f00:1]', '169.254.169.254', '0'].map(
    host => new URL(`http://${host}:9/x`).href,
  )
  for (const url of urls)
    it(`never reach ${url}`, async () => {
      const setup = setUpFetch({ 'http.allow.address': '' })
      const run = await setup.fetch([url])
      expect(run.outcome(url)).to.include({ status: 'fetch_gone', protocolStatus: 'access_denied', causeClass: 'guard' })
      expect(run.outcome(url).cause).to.match(/--allow-address/)
      setup.client.close()
    })

  it('are refused by what a name resolves to, at each connection', async () => {
    const server = await startServer({ routes: { '/*': { headers: { connection: 'close' } } } })
    let asked = 0
    // The first answer is an address that is open, the next is not: what DNS rebinding does.
    const resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
    const setup = setUpFetch({ 'http.allow.address': '127.0.0.1' }, { resolve })
    const url = `http://rebind.example:${server.port}/x`
    const run = await setup.fetch([url])
    expect(asked).to.equal(2)
    expect(server.requests.map(({ target }) => target)).to.deep.equal(['/robots.txt'])
    expect(run.outcome(url)).to.include({ status: 'fetch_gone', causeClass: 'guard' })
    setup.client.close()
    await server.close()
  })

  it('are refused where redirects and robots.txt lead', async () => {
    const server = await startServer({
      hosts: ['127.0.0.1', '127.0.0.2'],
      routes: {
        '127.0.0.1/robots.txt': { status: 404 },
        '/away': (request, response) => void response.writeHead(302, { location: `http://127.0.0.2:${request.socket.localPort}/secret` }).end(),
        '/*': { body: 'secret' },
      },
    })
    const setup = setUpFetch({ 'http.allow.address': '127.0.0.1' })
    const run = await setup.fetch([`${server.origin()}/away`])
    expect(run.outcome(`${server.origin('127.0.0.2')}/secret`)).to.include({ status: 'fetch_gone', causeClass: 'guard' })
    expect(server.requests.filter(({ host }) => host === '127.0.0.2')).to.deep.equal([])
    setup.client.close()
    await server.close()
  })

  it('go only to the addresses of a name that the guard lets pass', async () => {
    const resolve = async () => [
      { address: '10.0.0.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    const setup = setUpFetch({ 'http.timeout': 500 }, { resolve })
    const run = await setup.fetch(['http://both.example:9/x'])
    expect(run.outcome('http://both.example:9/x').cause).to.match(/127\.0\.0\.1:9/)
    setup.client.close()
  })
})
