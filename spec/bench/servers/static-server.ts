import { existsSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { listenOnLoopback } from '../../../pipelines/loopback-listener.js'
import { planOf, serveParent } from './child-server.js'
import { notFound, okAnswer, onRequests } from './requests.js'

/** Serves the files of a folder on several hosts, where there is no nginx. Files stay in memory. */
export interface StaticPlan {
  readonly folder: string
  readonly hosts: readonly string[]
  readonly port: number
}

const plan = planOf<StaticPlan>()
const answers = new Map<string, Buffer>()

function answerTo(target: string): Buffer {
  const path = target.split('?')[0] ?? '/'
  const known = answers.get(path) ?? answerOf(path)
  answers.set(path, known)
  return known
}

function answerOf(path: string): Buffer {
  const file = join(plan.folder, normalize(path === '/' ? '/index.html' : path))
  if (!file.startsWith(plan.folder) || !existsSync(file)) return notFound
  return okAnswer(path.endsWith('.txt') ? 'text/plain' : 'text/html; charset=utf-8', readFileSync(file))
}

const listener = await listenOnLoopback({
  hosts: plan.hosts,
  port: plan.port,
  onConnection: socket => onRequests(socket, target => socket.write(answerTo(target))),
})
serveParent(listener.port, () => answers.size)
