import { floods, type Misbehaviour, sends, sendsAndHangs } from './misbehaviour.js'

const moved = (location: string, rest = 'Content-Length: 0\r\n\r\n'): Misbehaviour['play'] =>
  sends(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\n${rest}`)
const temp = { status: 'fetch_redir_temp', httpStatus: 302 } as const

/** Redirects. What leads on, leads to `/good`. */
export const inRedirects: readonly Misbehaviour[] = [
  { name: 'redirects to itself', play: (socket, request) => moved(request.target)(socket, request), outcome: temp, cause: /self/ },
  {
    name: 'is a maze of redirects',
    play: (socket, { target, nth, origin }) =>
      moved(`${target.split('?')[0]}?${(Number(target.split('?')[1]) || 0) + 1}`)(socket, { target, nth, origin }),
    outcome: temp,
  },
  { name: 'redirects to nowhere', play: sends('HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n'), outcome: temp, cause: /no_location/ },
  { name: 'redirects to an empty place', play: moved(''), outcome: temp, cause: /malformed/ },
  { name: 'redirects to what is no URL', play: moved('http://[::bad/'), outcome: temp, cause: /malformed/ },
  { name: 'redirects to a place of 100 kB', play: moved(`/${'a'.repeat(100_000)}`), outcome: temp, cause: /too_long/ },
  { name: 'redirects to bytes that are no text', play: moved('/good?\xff\xfe\x80'), outcome: temp },
  { name: 'redirects with line ends in the place', play: moved('/good?%0d%0aX: 1'), outcome: temp },
  { name: 'redirects with chunks that are none', play: moved('/good', 'Transfer-Encoding: chunked\r\n\r\nthis is no chunk size\r\n'), outcome: temp },
  { name: 'redirects with gzip that is none', play: moved('/good', 'Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain'), outcome: temp },
  {
    name: 'redirects with a body that never comes',
    play: sendsAndHangs('HTTP/1.1 302 Found\r\nLocation: /good\r\nContent-Length: 10\r\n\r\n'),
    outcome: temp,
  },
  { name: 'redirects with a body that never ends', play: floods('HTTP/1.1 302 Found\r\nLocation: /good\r\n\r\n', 'x'.repeat(8192)), outcome: temp },
  { name: 'redirects with a body too short', play: moved('/good', 'Content-Length: 5000\r\n\r\nonly this'), outcome: temp },
  {
    name: 'redirects in a misspelt header',
    play: sends('HTTP/1.1 301 Moved\r\nLoction: /good\r\nContent-Length: 0\r\n\r\n'),
    outcome: { status: 'fetch_redir_perm', httpStatus: 301 },
  },
]
