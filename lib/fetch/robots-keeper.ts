import type { RobotsConfig } from '../config/robots-options.js'
import type { Clock } from '../log/clock.js'
import type { AgentRules } from '../robots/robots-rules.js'
import type { FailureClass } from './failure.js'

/** What is known of the robots.txt of one origin. */
export interface RobotsCopy {
  /** The rules to go by; undefined if they cannot be had: then everything is forbidden until `expiresMs`. */
  readonly rules: AgentRules | undefined
  /** When it was fetched, epoch ms. */
  readonly fetchedMs: number
  readonly expiresMs: number
  /** Why there are no rules, or why an old copy is used. */
  readonly cause?: string
  readonly causeClass?: FailureClass | 'robots'
}

/** Keeps robots.txt rules by origin: bounded in bytes, those not used longest go first. */
export class RobotsKeeper {
  readonly #copies = new Map<string, { readonly copy: RobotsCopy; readonly sizeBytes: number }>()
  readonly #pending = new Map<string, Promise<RobotsCopy | undefined>>()
  #sizeBytes = 0

  constructor(
    readonly config: RobotsConfig,
    readonly clock: Clock,
  ) {}

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** The copy to go by now, or undefined if robots.txt must be asked for. */
  find(origin: string): RobotsCopy | undefined {
    const kept = this.#copies.get(origin)
    if (kept === undefined) return undefined
    this.#copies.delete(origin)
    this.#copies.set(origin, kept)
    return kept.copy.expiresMs > this.clock.nowMs() ? kept.copy : undefined
  }

  /** Keeps what a fetch found. Where it found nothing, rules from before stand for another while (RFC 9309 §2.3.1.4). */
  keep(origin: string, found: RobotsCopy): RobotsCopy {
    const before = this.#copies.get(origin)
    const old = before?.copy.rules
    const copy =
      found.rules === undefined && old !== undefined && before !== undefined ? { ...found, rules: old, fetchedMs: before.copy.fetchedMs } : found
    const sizeBytes = 300 + 2 * origin.length + (copy.rules?.sizeBytes ?? 0)
    this.#sizeBytes += sizeBytes - (before?.sizeBytes ?? 0)
    this.#copies.delete(origin)
    this.#copies.set(origin, { copy, sizeBytes })
    for (const [oldest, kept] of this.#copies) {
      if (this.#sizeBytes <= this.config.cacheBytes || oldest === origin) break
      this.#copies.delete(oldest)
      this.#sizeBytes -= kept.sizeBytes
    }
    return copy
  }

  /** The fetch of an origin's robots.txt that is under way, or undefined. */
  pending(origin: string): Promise<RobotsCopy | undefined> | undefined {
    return this.#pending.get(origin)
  }

  /** Says that this fetch of an origin's robots.txt is under way, until it settles. */
  announce(origin: string, fetching: Promise<RobotsCopy | undefined>): void {
    this.#pending.set(origin, fetching)
    const done = (): void => {
      this.#pending.delete(origin)
    }
    fetching.then(done, done)
  }

  /** Whether a host's robots.txt is not to be asked for, by `http.robot.rules.allowlist`. */
  isExempt(hostname: string): boolean {
    return this.config.exemptHosts.some(host => hostname === host || hostname.endsWith(`.${host}`))
  }
}
