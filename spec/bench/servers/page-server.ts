import type { Socket } from 'node:net'
import { listenOnLoopback } from '../../../pipelines/loopback-listener.js'
import { planOf, serveParent } from './child-server.js'
import { type HostLog, type PageLog, type PagePlan, pageOfPath, pagePath } from './page-plan.js'
import { notFound, okAnswer, onRequests } from './requests.js'

/** Serves the same numbered pages on every host, at once or late, and keeps a log of each. Also as a forward proxy for any host. */
const plan = planOf<PagePlan>()
const slowHosts = new Set(plan.slowHosts)
const logs = new Map<string, HostLog>()
const pageTimesMs: number[] = []
let pagesServed = 0

const filler = 'Water over the wheel. '.repeat(Math.ceil(plan.pageBytes / 22))
const pages = Array.from({ length: plan.pagesPerHost }, (_, number) => {
  const links = linksOf(number).map(each => `<a href="${pagePath(each)}">${each}</a>`)
  return okAnswer('text/html', `<html><title>Page ${number}</title><body>${links.join(' ')}<p>${filler}</p></body></html>`)
})

/** Four links each, so that twenty pages lie within three steps of the first. */
function linksOf(number: number): number[] {
  return plan.hasLinks ? [1, 2, 3, 4].map(each => number * 4 + each).filter(each => each < plan.pagesPerHost) : []
}

const nowMs = (): number => performance.timeOrigin + performance.now()

function note(host: string, number: number): void {
  const startMs = nowMs()
  const log = logs.get(host) ?? { host, isSlow: slowHosts.has(host), requests: 0, pages: [], firstMs: startMs, lastMs: startMs }
  log.requests++
  pageTimesMs.push(startMs)
  log.lastMs = startMs
  if (!log.pages.includes(number)) {
    log.pages.push(number)
    if (!log.isSlow && ++pagesServed === plan.wanted) parent.wanted()
  }
  logs.set(host, log)
}

function answerForAll(socket: Socket): void {
  if (++pagesServed === plan.wanted) parent.wanted()
  socket.write(pages[0] ?? notFound)
}

const listener = await listenOnLoopback({
  hosts: [...plan.hosts, ...plan.slowHosts],
  onConnection(socket, host) {
    onRequests(socket, target => {
      if (plan.isProxy) return answerForAll(socket)
      const number = pageOfPath(target)
      const answer = number === undefined ? notFound : (pages[number] ?? notFound)
      if (number !== undefined) note(host, number)
      if (slowHosts.has(host)) setTimeout(() => socket.write(answer), plan.answerMs)
      else socket.write(answer)
    })
  },
})
const parent = serveParent(listener.port, (): PageLog => ({ hosts: [...logs.values()], pageTimesMs }))
