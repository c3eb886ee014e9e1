import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A server in a process of its own, so that the crawler's processor time is not its own. */
export interface ChildServer {
  readonly port: number
  /** What the server has seen so far. */
  seen<T>(): Promise<T>
  /** Resolves at the server's own word, with the time of it (epoch ms). */
  readonly wanted: Promise<number>
  close(): Promise<void>
}

/** What a server module says to the process that started it. */
export type ServerMessage =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'wanted'; readonly timeMs: number }
  | { readonly kind: 'seen'; readonly seen: unknown }

/** Starts a module of this folder with a plan. @throws if it ends before it listens */
export async function startChildServer(module: string, plan: object): Promise<ChildServer> {
  const child = fork(new URL(module, import.meta.url), [JSON.stringify(plan)], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', status => reject(new Error(`${module} ended with ${status} before it listened`)))
  })
  const { port } = await Promise.race([messageOf(child, 'ready'), ended])
  const wanted = messageOf(child, 'wanted').then(({ timeMs }) => timeMs)
  return {
    port,
    wanted,
    async seen<T>() {
      const answer = messageOf(child, 'seen')
      child.send('seen')
      return (await answer).seen as T // the caller knows what the module counts
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

type MessageOf<K extends ServerMessage['kind']> = Extract<ServerMessage, { readonly kind: K }>

/** The next message of this kind. */
function messageOf<K extends ServerMessage['kind']>(child: ChildProcess, kind: K): Promise<MessageOf<K>> {
  return new Promise(resolve => {
    const look = (message: unknown): void => {
      const said = message as ServerMessage // only our own modules are started
      if (said.kind !== kind) return
      child.off('message', look)
      resolve(said as MessageOf<K>) // of the kind just looked at
    }
    child.on('message', look)
  })
}

/** Called in the server's process: says where it listens, and answers what it is asked until its parent goes. */
export function serveParent(port: number, seen: () => unknown): { wanted(): void } {
  const say = (message: ServerMessage): void => void process.send?.(message)
  process.on('message', () => say({ kind: 'seen', seen: seen() }))
  process.once('disconnect', () => process.exit())
  say({ kind: 'ready', port })
  return { wanted: () => say({ kind: 'wanted', timeMs: performance.timeOrigin + performance.now() }) }
}

/** The plan that the parent gave. */
export function planOf<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T // startChildServer wrote it
}
