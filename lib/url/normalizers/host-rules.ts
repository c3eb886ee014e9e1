import type { RuleRef } from '../../explain/decision.js'
import type { RuleFile, RuleLine } from '../rule-file.js'

/** A rule about one host, or with `*.` before it about all hosts under it. */
export interface HostRule<T> extends RuleRef {
  readonly value: T
}

/** Rules by host. Any number of them is looked up in as many steps as the host has labels. */
export class HostRules<T> {
  readonly #hosts = new Map<string, HostRule<T>>()
  readonly #domains = new Map<string, HostRule<T>>()

  /** The last rule about a host counts, as in a Java map. */
  add(host: string, value: T, file: RuleFile, { number, text }: RuleLine): void {
    const rule = { rule: text, file: file.name, line: number, value }
    if (host.startsWith('*.')) this.#domains.set(host.slice(2).toLowerCase(), rule)
    else this.#hosts.set(host.toLowerCase(), rule)
  }

  get size(): number {
    return this.#hosts.size + this.#domains.size
  }

  /** The host's own rule, else that of the longest domain it is in; the domain's own name is not under it, but is taken as well, as Nutch does. */
  find(host: string): HostRule<T> | undefined {
    const own = this.#hosts.get(host)
    if (own !== undefined || this.#domains.size === 0) return own
    for (let start = 0; ; ) {
      const rule = this.#domains.get(host.slice(start))
      if (rule !== undefined) return rule
      const dot = host.indexOf('.', start)
      if (dot < 0) return undefined
      start = dot + 1
    }
  }
}
