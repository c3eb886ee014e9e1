import { cpus, loadavg, platform, release, totalmem } from 'node:os'

/** What figures were measured on. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
  readonly system: string
  readonly node: string
}

export function thisMachine(): Machine {
  const [first, ...others] = cpus()
  return {
    cpu: first?.model.trim() ?? 'unknown processor',
    cores: 1 + others.length,
    memoryBytes: totalmem(),
    system: `${platform()} ${release()}`,
    node: process.version,
  }
}

/** Load averages over 1, 5 and 15 minutes. */
export function loadNow(): readonly number[] {
  return loadavg().map(load => Math.round(load * 100) / 100)
}

/** One line for people. */
export function machineLine({ cpu, cores, memoryBytes, system, node }: Machine): string {
  return `${cpu}, ${cores} cores, ${Math.round(memoryBytes / 2 ** 30)} GB, ${system}, Node ${node.slice(1)}`
}
