import { startHostileServer } from '../../fetch/hostile/hostile-server.js'
import { drips, floods, type Misbehaviour, ok, sends, sendsAndHangs, sendsAndResets } from '../../fetch/hostile/misbehaviour.js'
import { planOf, serveParent } from './child-server.js'

/** Hosts of which each request ends badly or not at all, by the number that the path begins with. */
const outcome = { status: 'fetch_retry' } as const
const plays: readonly Misbehaviour[] = [
  { name: 'says nothing', play: () => undefined, outcome },
  { name: 'hangs within the headers', play: sendsAndHangs(ok), outcome },
  { name: 'drips its headers', play: drips('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n', 20), outcome },
  { name: 'drips its body', play: drips(`${ok}\r\n`, 'x', 20), outcome },
  { name: 'never ends its body', play: floods(`${ok}\r\n`, 'x'.repeat(1000)), outcome },
  { name: 'closes', play: sends(), outcome },
  { name: 'resets', play: sendsAndResets(''), outcome },
  { name: 'is no web server', play: sends('SSH-2.0-x\r\n'), outcome },
]
export type HostilePlan = { readonly hosts: readonly string[] }

const server = await startHostileServer(plays, planOf<HostilePlan>().hosts)
serveParent(Number(new URL(server.origin).port), () => server.targets.length)
