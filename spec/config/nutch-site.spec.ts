import { expect } from 'chai'
import { parseNutchSite } from '../../lib/config/nutch-site.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'

const site = (inner: string) => `<?xml version="1.0"?>\n<configuration>\n${inner}\n</configuration>`
const property = (name: string, value: string) => `<property>\n  <name>${name}</name>\n  <value>${value}</value>\n</property>`

describe('parseNutchSite', () => {
  for (const { name, xml, values } of [
    { name: 'no property', xml: '<configuration/>', values: [] },
    {
      name: 'properties with description and final',
      xml: site(`${property('a.b', '1')}<property><name>c</name><value>x</value><description>about c</description><final>true</final></property>`),
      values: [
        ['a.b', '1'],
        ['c', 'x'],
      ],
    },
    { name: 'the last of two with one name', xml: site(property('a', '1') + property('a', '2')), values: [['a', '2']] },
    {
      name: 'properties in the short form, with attributes',
      xml: site('<property name="a" value=" 1 "/><property name="b" value="&lt;2"></property><property name="c"><value>3</value></property>'),
      values: [
        ['a', '1'],
        ['b', '<2'],
        ['c', '3'],
      ],
    },
    {
      name: 'one that is final, and not those of its name behind it',
      xml: site(
        '<property><name>a</name><value>1</value><final>true</final></property><property name="a" value="2"/><property name="b" value="1" final="true"/>',
      ),
      values: [
        ['a', '1'],
        ['b', '1'],
      ],
    },
    { name: 'an empty value', xml: site('<property><name>a</name><value></value></property>'), values: [['a', '']] },
    { name: 'a property without a value', xml: site('<property><name>a</name></property>'), values: [['a', '']] },
    { name: 'a property without a name, which is none', xml: site('<property><value>1</value></property>'), values: [] },
    { name: 'space around name and value', xml: site(property('\n a ', '\n 1 2 \n')), values: [['a', '1 2']] },
    {
      name: 'entities, CDATA and comments',
      xml: site(property('a', '&lt;b&gt; &amp; <![CDATA[<c>]]><!-- d -->&#101;')),
      values: [['a', '<b> & <c>e']],
    },
    {
      name: 'elements that are not its own',
      xml: site(`${property('a', '1')}<other><name>b</name><value>2</value></other><name>c</name>`),
      values: [['a', '1']],
    },
    { name: 'an element inside a value', xml: site(property('a', '1<b>2</b>3')), values: [['a', '13']] },
    { name: 'a byte order mark', xml: `\ufeff${site(property('a', '1'))}`, values: [['a', '1']] },
    {
      name: 'a name that objects have',
      xml: site(property('__proto__', '1') + property('constructor', '2')),
      values: [
        ['__proto__', '1'],
        ['constructor', '2'],
      ],
    },
    { name: 'a value of a megabyte', xml: site(property('a', `x ${'y '.repeat(500_000)}z`)), values: [['a', `x ${'y '.repeat(500_000)}z`]] },
  ] as const) {
    it(`reads ${name}`, () => {
      expect(Object.entries(parseNutchSite(xml, 'nutch-site.xml'))).to.deep.equal(values)
    })
  }

  for (const { name, xml, message } of [
    { name: 'an empty file', xml: '', message: /^conf\/n\.xml:1: the file is empty/ },
    { name: 'another kind of file', xml: '<html></html>', message: /^conf\/n\.xml:1: the root is <html>, <configuration> is wanted/ },
    { name: 'text', xml: 'a=1', message: /^conf\/n\.xml:1: / },
    {
      name: 'an include, whose properties would be missed',
      xml: site('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="agent.xml"/>'),
      message: /^conf\/n\.xml:3: <xi:include> is not followed: put the properties of agent\.xml here/,
    },
    { name: 'an element that is not closed', xml: '<configuration>\n<property>\n</configuration>', message: /^conf\/n\.xml:3: / },
    { name: 'a file cut off', xml: '<configuration>\n<property><name>a', message: /^conf\/n\.xml:2: Unclosed root tag/ },
    { name: 'a bare ampersand', xml: site(property('a', 'b & c')), message: /^conf\/n\.xml:5: / },
    {
      name: 'an entity of its own',
      xml: `<!DOCTYPE c [<!ENTITY e SYSTEM "file:///etc/passwd">]>${site(property('a', '&e;'))}`,
      message: /^conf\/n\.xml:5: Invalid character entity/,
    },
    { name: '100,000 elements in each other', xml: `<configuration>${'<a>'.repeat(100_000)}`, message: /^conf\/n\.xml:1: Unclosed root tag/ },
  ]) {
    it(`refuses ${name}, naming file and line`, () => {
      expect(() => parseNutchSite(xml, 'conf/n.xml'))
        .to.throw(CrawlError, message)
        .with.property('code', 'CONFIG_INVALID')
    })
  }
})
