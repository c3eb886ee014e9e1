import { addToList } from '../stream/add-to-list.js'
import type { Connection } from './connection.js'

/** Connections kept open between requests: a bounded number over all origins, the one idle longest goes first. */
export class ConnectionPool {
  /** In the order in which they became idle. */
  readonly #idle = new Set<Connection>()
  readonly #byOrigin = new Map<string, Connection[]>()
  #isClosed = false
  constructor(readonly maxIdle: number) {}

  get idleCount(): number {
    return this.#idle.size
  }

  /** The connection to `origin` that became idle last, taken out of the pool. */
  take(origin: string): Connection | undefined {
    const idle = this.#byOrigin.get(origin)
    for (let connection = idle?.at(-1); connection !== undefined; connection = idle?.at(-1)) {
      this.#remove(connection)
      if (!connection.isClosed) return connection
    }
    return undefined
  }

  /** Keeps a connection for the next request, if there is room. */
  keep(connection: Connection): void {
    if (this.#isClosed || this.maxIdle === 0 || connection.isClosed) {
      connection.close()
      return
    }
    this.#idle.add(connection)
    addToList(this.#byOrigin, connection.origin, connection)
    for (const oldest of this.#idle) {
      if (this.#idle.size <= this.maxIdle) break
      this.#remove(oldest)
      oldest.close()
    }
  }

  /** Forgets a connection that was closed by the other side. */
  forget(connection: Connection): void {
    if (this.#idle.has(connection)) this.#remove(connection)
    connection.close()
  }

  close(): void {
    this.#isClosed = true
    for (const connection of this.#idle) connection.close()
    this.#idle.clear()
    this.#byOrigin.clear()
  }

  #remove(connection: Connection): void {
    this.#idle.delete(connection)
    const idle = this.#byOrigin.get(connection.origin)
    if (idle === undefined) return
    const at = idle.lastIndexOf(connection)
    if (at >= 0) idle.splice(at, 1)
    if (idle.length === 0) this.#byOrigin.delete(connection.origin)
  }
}
