import { expect } from 'chai'
import { linkList, parseHtml } from './parse-support.js'

const textCases: readonly { readonly why: string; readonly html: string; readonly text: string }[] = [
  { why: 'inline elements do not part words', html: 'a<b>b</b><i>c</i> <span>d</span>', text: 'abc d' },
  { why: 'blocks stand on their own lines', html: 'a<div>b</div>c<p>d<p>e<ul><li>f<li>g</ul>', text: 'a\nb\nc\nd\ne\nf\ng' },
  { why: 'br breaks the line', html: 'a<br>b<br/>c</br>d', text: 'a\nb\nc\nd' },
  { why: 'cells are set off by a space, rows by a line', html: '<table><tr><td>a</td><td>b<tr><th>c<td>d</table>', text: 'a b\nc d' },
  { why: 'white space collapses', html: ' a \n\t b\r\n<i> c </i> d ', text: 'a b c d' },
  { why: 'pre is kept', html: 'x<pre>\n a\n   b  c\n</pre>y', text: 'x\n a\n   b  c\ny' },
  { why: 'references are decoded', html: '&lt;b&gt; &amp;amp; &eacute;&#x20AC;&#8364; &notit; &copy', text: '<b> &amp; é€€ ¬it; ©' },
  {
    why: 'script, style, template and comments hold no text',
    html: 'a<script>b</script><style>c</style><template>d</template><!--e-->f',
    text: 'af',
  },
  { why: 'a template that is a shadow tree is seen', html: 'a<x-y><template shadowrootmode=open>b<p>c</template>d</x-y>', text: 'ab\ncd' },
  { why: 'a reference is not made of two texts', html: '&am<!-- -->p;', text: '&amp;' },
  { why: 'fallback content of media is not shown', html: '<video>no video</video><canvas>no canvas</canvas>x', text: 'x' },
  {
    why: 'the contents of textarea, button and option are seen',
    html: '<textarea>a</textarea><button>b</button><select><option>c<option>d</select>',
    text: 'ab\nc\nd',
  },
  { why: 'noscript is read, as by a browser without scripts', html: '<noscript>a<p>b</noscript>', text: 'a\nb' },
  { why: 'SVG titles are not text', html: '<svg><title>t</title><text>seen</text></svg> x', text: 'seen x' },
  { why: 'CDATA is text in SVG', html: '<svg><text><![CDATA[a<b]]></text></svg>', text: 'a<b' },
  { why: 'CDATA is a comment up to > in HTML', html: 'x<![CDATA[a>b]]>c', text: 'xb]]>c' },
  { why: 'plaintext never ends', html: 'a<plaintext>b</plaintext><b>', text: 'a\nb</plaintext><b>' },
  { why: 'NUL is dropped', html: 'a\0b', text: 'ab' },
]

describe('text of HTML', () => {
  for (const { why, html, text } of textCases) {
    it(`${why}: ${JSON.stringify(html)}`, () => {
      expect(parseHtml(html).text).to.equal(text)
    })
  }

  it('leaves noscript out if told so, with its links', () => {
    const parse = parseHtml('<noscript>a<a href=n>b</a></noscript><a href=y>c</a>', { 'millrace.parse.noscript': false })
    expect(parse.text).to.equal('c')
    expect(linkList(parse)).to.deep.equal(['a /dir/y'])
  })
})

const titleCases: readonly { readonly html: string; readonly title: string }[] = [
  { html: '<title>first</title><title>second</title>', title: 'first' },
  { html: '<svg><title>svg</title></svg><title>page</title>', title: 'page' },
  { html: '<body><svg><title>svg</title></svg>', title: '' },
  { html: '<title>a &amp; b\n <i>c</i></title>', title: 'a & b <i>c</i>' },
  { html: '<title></title><title>second</title>', title: '' },
  { html: '<title>open', title: 'open' },
]

describe('title of HTML', () => {
  for (const { html, title } of titleCases) it(`${html} has ${JSON.stringify(title)}`, () => expect(parseHtml(html).title).to.equal(title))
})

const linkCases: readonly { readonly why: string; readonly html: string; readonly links: readonly string[] }[] = [
  {
    why: 'all elements that lead somewhere',
    html: `<a href=a></a><area href=b><link rel=next href=c><img src=d srcset="e 1x, f 2x"><iframe src=g></iframe>
      <embed src=h><object data=i></object>
      <script src=j></script><video src=k poster=l><source src=m><track src=n></video><audio src=o></audio><input type=image src=p><frame src=q>`,
    links: [
      'a /dir/a',
      'area /dir/b',
      'link /dir/c',
      'img /dir/d',
      'img /dir/e',
      'img /dir/f',
      'iframe /dir/g',
      'embed /dir/h',
      'object /dir/i',
      'script /dir/j',
      'video /dir/k',
      'video /dir/l',
      'source /dir/m',
      'track /dir/n',
      'audio /dir/o',
      'input /dir/p',
      'frame /dir/q',
    ],
  },
  {
    why: 'not javascript, data, mailto or tel',
    html: '<a href="javascript:x()">1</a><a href="data:,x">2</a><a href=mailto:a@b>3</a><a href=tel:1>4</a>',
    links: [],
  },
  { why: 'not what stands in scripts, comments and text', html: `<script>"<a href='x'>"</script><!--<a href=y>-->&lt;a href=z&gt;`, links: [] },
  {
    why: 'not what stands in a script that holds a script, behind <!--',
    html: `<script><!-- document.write("<script src=no></script>"); <a href=no>; --> </script><a href=x>`,
    links: ['a /dir/x'],
  },
  { why: 'behind <!--> and --> a script ends as any other', html: '<script><!--><script></script><a href=x>', links: ['a /dir/x'] },
  { why: 'image is img', html: '<image src=x>', links: ['img /dir/x'] },
  { why: 'of two attributes the first', html: '<a href=x href=y>', links: ['a /dir/x'] },
  { why: 'any case, any quotes', html: `<A HREF='x'><a hReF="y"><a href=z>`, links: ['a /dir/x', 'a /dir/y', 'a /dir/z'] },
  { why: 'a tag that is cut off is none', html: '<a href=x>1</a><a href="y', links: ['a /dir/x'] },
  { why: 'nothing inside select, as browsers long did', html: '<select><option><a href=x>s</a></select><a href=y>', links: ['a /dir/y'] },
  { why: 'iframe holds text only', html: '<iframe><a href=x></iframe><a href=y>', links: ['a /dir/y'] },
  { why: 'anchors of SVG by href and xlink:href', html: '<svg><a xlink:href=x>1</a><a href=y>2</a></svg>', links: ['a /dir/x', 'a /dir/y'] },
  { why: 'style is markup in SVG', html: '<svg><style><a href=x></style></svg>', links: ['a /dir/x'] },
  { why: 'HTML elements break out of SVG', html: '<svg><g><p><style><a href=x></style><a href=y>', links: ['a /dir/y'] },
]

describe('links of HTML', () => {
  for (const { why, html, links } of linkCases) it(why, () => expect(linkList(parseHtml(html))).to.deep.equal(links))

  it('decodes references in attributes by the rules of attributes (R032)', () => {
    const html = `<a href="?id=5&amp;view=full">1</a><a href="?id=6&#38;view=full">2</a><a href="?id=7&#x26;view=full">3</a>
      <a href="?a=1&copy=2&reg=3">4</a>
      <a href="&#x2F;past&#x2F;">5</a><a href="&#106;avascript:void(0)">6</a><a href="/q?u=%26amp%3B">7</a><a href="mailto&colon;x@example.org">8</a>`
    expect(
      parseHtml(html, {}, { url: 'http://www.example.com/d/' }).links.map(({ url }) => url.slice('http://www.example.com'.length)),
    ).to.deep.equal(['/d/?id=5&view=full', '/d/?id=6&view=full', '/d/?id=7&view=full', '/d/?a=1&copy=2&reg=3', '/past/', '/q?u=%26amp%3B'])
  })

  it('gives forms by option, and never those that post', () => {
    const html = '<form action=a></form><form method=POST action=b><button formaction=c></form><form method=dialog action=d></form>'
    expect(linkList(parseHtml(html))).to.deep.equal([])
    expect(linkList(parseHtml(html, { 'parser.html.form.use_action': true }))).to.deep.equal(['form /dir/a', 'button /dir/c'])
  })

  it('leaves out the elements and rels that it is told to', () => {
    const html = '<img src=a><a href=b><link rel="dns-prefetch" href=//c><link rel=next href=d>'
    const values = { 'parser.html.outlinks.ignore_tags': 'img', 'millrace.parse.ignored.rels': 'dns-prefetch' }
    expect(linkList(parseHtml(html, values))).to.deep.equal(['a /dir/b', 'link /dir/d'])
  })

  it('gives anchor, rel and alternative text', () => {
    const html =
      '<a rel=" NoFollow  UGC " href=a> some <b>bold</b>\n text </a><a href=b><img src=c alt="a  picture"></a>' +
      '<a href=d>x<img src=e alt=alt></a><area href=f alt=map>'
    expect(parseHtml(html).links.map(({ element, anchor, rel }) => [element, anchor, rel])).to.deep.equal([
      ['a', 'some bold text', 'nofollow ugc'],
      ['a', 'a picture', ''],
      ['img', 'a picture', ''],
      ['a', 'x', ''],
      ['img', 'alt', ''],
      ['area', 'map', ''],
    ])
  })

  it('ends an anchor at the next one and at the end of its cell', () => {
    const html = '<table><tr><td><a href=a>one<td>two</table><a href=b>three<a href=c>four'
    expect(parseHtml(html).links.map(({ anchor }) => anchor)).to.deep.equal(['one', 'three', 'four'])
  })

  it('counts what does not resolve and what nobody follows', () => {
    const parse = parseHtml('<a href="http://exa mple/">1</a><a href="http://[x">2</a><a href="mailto:x">3</a><a href=ok>4</a>')
    expect(parse.linkCounts).to.deep.equal({ unresolvable: 2, scheme: 1 })
    expect(linkList(parse)).to.deep.equal(['a /dir/ok'])
  })
})

describe('base of HTML', () => {
  const bases: readonly { readonly html: string; readonly base: string }[] = [
    { html: '<base href="../one/"><base href="http://other.example/">', base: 'http://www.example.com/one/' },
    { html: '<a href=x></a><base href="http://late.example/d/">', base: 'http://late.example/d/' },
    { html: '<base target=_top><base href="//second.example">', base: 'http://second.example/' },
    { html: '<base href="javascript:x">', base: 'http://www.example.com/dir/page.html' },
    { html: '<base href="data:,x">', base: 'http://www.example.com/dir/page.html' },
    { html: '<template><base href="/no/"></template>', base: 'http://www.example.com/dir/page.html' },
    { html: '<base href="http://[bad">', base: 'http://www.example.com/dir/page.html' },
    { html: '', base: 'http://www.example.com/dir/page.html' },
  ]
  for (const { html, base } of bases) it(`${html || 'none'} is ${base}`, () => expect(parseHtml(html).base).to.equal(base))

  it('counts for links before it', () => {
    expect(parseHtml('<a href=x></a><base href="http://late.example/d/">').links[0]?.url).to.equal('http://late.example/d/x')
  })
})

describe('what a page says of itself', () => {
  it('names language, canonical URL, languages, headings and meta elements', () => {
    const parse = parseHtml(`<html lang=de><link rel="canonical" href="/c"><link rel=alternate hreflang=en href=/en/>
      <link rel=alternate hreflang=x-default href=/>
      <link rel=alternate type=application/rss+xml href=/feed><meta name=Description content=" some  words ">
      <meta name=keywords content=a><meta name=KEYWORDS content=b>
      <meta name=other content=c><h1>One <i>two</i></h1><h2>Three<h2>Four</h3>`)
    expect(parse.lang).to.equal('de')
    expect(parse.canonical).to.equal('http://www.example.com/c')
    expect(parse.alternates).to.deep.equal([
      { hreflang: 'en', url: 'http://www.example.com/en/' },
      { hreflang: 'x-default', url: 'http://www.example.com/' },
    ])
    expect(parse.headings).to.deep.equal([
      { level: 1, text: 'One two' },
      { level: 2, text: 'Three' },
      { level: 2, text: 'Four' },
    ])
    expect(parse.metadata).to.deep.equal({ 'metatag.description': 'some words', 'metatag.keywords': 'a\nb', h1: 'One two', h2: 'Three\nFour' })
  })

  it('is not what a template in it says', () => {
    const parse = parseHtml(
      `<template><title>T</title><meta name=robots content=noindex><meta http-equiv=refresh content="0;url=/r"><link rel=canonical href=/c>
      <a href=in>i</a></template><title>Page</title><a href=out>o</a>`,
    )
    expect([parse.title, parse.canonical, parse.refresh, parse.robots.noindex]).to.deep.equal(['Page', undefined, undefined, false])
    expect(linkList(parse)).to.deep.equal(['link /c', 'a /dir/in', 'a /dir/out'])
  })

  it('may say it in headers', () => {
    const parse = parseHtml(
      '<a href=x>',
      {},
      {
        headers: [
          ['Link', '</c>; rel="canonical", <http://www.example.com/fr/>; rel="alternate"; hreflang="fr"'],
          ['Content-Language', 'fr, en'],
          ['x-robots-tag', 'noindex'],
          ['Refresh', '3; url=/r'],
        ],
      },
    )
    expect(parse.canonical).to.equal('http://www.example.com/c')
    expect(parse.alternates).to.deep.equal([{ hreflang: 'fr', url: 'http://www.example.com/fr/' }])
    expect(parse.lang).to.equal('fr')
    expect(parse.robots).to.deep.equal({ noindex: true, nofollow: false, noarchive: false })
    expect(parse.refresh).to.deep.equal({ delayMs: 3000, url: 'http://www.example.com/r' })
  })

  it('gives all meta elements for *', () => {
    const parse = parseHtml('<meta property="og:title" content=t><meta name=x content=y>', { 'metatags.names': '*' })
    expect(parse.metadata).to.deep.equal({ 'metatag.og:title': 't', 'metatag.x': 'y' })
  })
})
