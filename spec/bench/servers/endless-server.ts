import type { Socket } from 'node:net'
import { listenOnLoopback } from '../../../pipelines/loopback-listener.js'
import { planOf, serveParent } from './child-server.js'
import { type EndlessLog, type EndlessPlan, frontPath } from './endless-plan.js'
import { notFound, okAnswer, onRequests } from './requests.js'

/** Serves a tree of pages without an end on every host: page n links to two deeper ones of its host, and to page n of the next host. */
const plan = planOf<EndlessPlan>()
const hostNumbers = new Map(plan.hosts.map((host, number) => [host, number]))
const filler = 'Water over the wheel. '.repeat(Math.ceil(plan.pageBytes / 22))
const seen = new Set<string>()
let frontRequests = 0
let repeats = 0

function frontPage(number: number): Buffer {
  const news = number % 2 === 0 ? '' : `<p>Request ${frontRequests}</p>`
  return okAnswer('text/html', `<title>Front ${number}</title><a href="/page/1">first</a>${news}<p>${filler}</p>`)
}

function deepPage(host: string, number: string): Buffer {
  const id = `${host}/${number}`
  if (seen.has(id)) repeats++
  seen.add(id)
  const own = BigInt(number) * 2n
  const next = plan.hosts[((hostNumbers.get(host) ?? 0) + 1) % plan.hosts.length]
  const links = [`/page/${own}`, `/page/${own + 1n}`, `http://${next}:${listener.port}/page/${number}`]
  const anchors = links.map(link => `<a href="${link}">${link}</a>`).join(' ')
  return okAnswer('text/html', `<title>Page ${number} of ${host}</title>${anchors}<p>${filler}</p>`)
}

function robotsTxt(host: string): Buffer {
  const delayS = plan.crawlDelaysS[(hostNumbers.get(host) ?? 0) % plan.crawlDelaysS.length]
  return delayS === undefined ? notFound : okAnswer('text/plain', `User-agent: *\nCrawl-delay: ${delayS}\n`)
}

function answer(host: string, target: string): Buffer {
  if (target === '/robots.txt') return robotsTxt(host)
  const [, kind = '', number = ''] = /^\/(front|page)\/(\d+)$/.exec(target) ?? []
  if (kind === 'page') return deepPage(host, number)
  if (target !== frontPath(Number(number))) return notFound
  frontRequests++
  return frontPage(Number(number))
}

function serve(socket: Socket, host: string): void {
  onRequests(socket, target => socket.write(answer(host, target)))
}

const listener = await listenOnLoopback({ hosts: plan.hosts, onConnection: serve })
serveParent(listener.port, (): EndlessLog => ({ frontRequests, pages: seen.size, repeats }))
