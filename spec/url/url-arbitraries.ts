import fc from 'fast-check'

const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9-]{0,6}[a-z0-9])?$/)
const host = fc.oneof(
  fc.array(label, { minLength: 1, maxLength: 4 }).map(labels => labels.join('.')),
  fc.ipV4Extended(),
  fc.ipV4(),
  fc.ipV6().map(address => `[${address}]`),
  fc.constantFrom(
    'bücher.example',
    'xn--bcher-kva.example',
    'xn--0.example',
    'A.Example',
    'a.example.',
    'straße.de',
    'faß.ελ',
    'a%2Eb.example',
    'нэб.рф',
    '1.2',
    'a.0x1f',
    '127.0.0.01',
    '256.1.1.1',
    '1.2.3.4.',
  ),
)
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9]{0,6}$/) },
  fc.constantFrom(
    '.',
    '..',
    '',
    '%2e',
    '%2E%2e',
    '%',
    '%4',
    '%41',
    '%2f',
    '%c3%bc',
    'ü',
    ' ',
    '%zz',
    "'",
    ';sid=1',
    '\\',
    '[x]',
    '{',
    '|',
    '^',
    '~',
    '%7e',
    '?',
    '&',
    '=',
    '+',
    '@',
    ':',
    '\ud800',
    '💩',
    '%25',
    '%2525',
    '(S(abcdefghijklmnopqrstuvwx))',
  ),
)
const path = fc.array(piece, { maxLength: 6 }).map(pieces => pieces.map(each => `/${each}`).join(''))
const query = fc.option(
  fc
    .array(
      fc.tuple(piece, piece).map(([name, value]) => `${name}=${value}`),
      { maxLength: 4 },
    )
    .map(parts => `?${parts.join('&')}`),
  { nil: '' },
)

/** URLs as pages have them: mostly sound. */
export const pageUrls = fc
  .record({
    scheme: fc.constantFrom('http', 'https', 'HTTP', 'ftp'),
    user: fc.constantFrom('', '', '', 'u@', 'u:p@'),
    host,
    port: fc.constantFrom('', '', '', ':80', ':443', ':800', ':8080', ':08080', ':59999', ':65535', ':65536', ':0', ':'),
    path,
    query,
    fragment: fc.constantFrom('', '', '#', '#top?x'),
  })
  .map(({ scheme, user, host: name, port, path: file, query: search, fragment }) => `${scheme}://${user}${name}${port}${file}${search}${fragment}`)

/** Texts put together from the pieces that URLs are made of, in any order. */
export const roughUrls = fc
  .array(fc.oneof(piece, host, fc.constantFrom('http:', 'https://', '//', '/', 'file:', 'foo://', '\t', '#', '?', ':80', '@', 'C|', 'localhost')), {
    maxLength: 10,
  })
  .chain(pieces => fc.constantFrom('', 'http://', 'https://a.example/', 'file:///', 'http:').map(start => start + pieces.join('')))
