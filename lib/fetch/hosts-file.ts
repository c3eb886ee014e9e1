import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The names of the system's hosts file, read again when it has changed. One that cannot be read names nothing. */
export class HostsFile {
  readonly #path: string
  #names: ReadonlySet<string> = new Set()
  #readMs: number | undefined

  /** @param path @defaultValue the system's */
  constructor(path = systemPath()) {
    this.#path = path
  }

  async has(hostname: string): Promise<boolean> {
    const changedMs = await stat(this.#path).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    )
    if (changedMs !== this.#readMs) {
      this.#names = namesIn(await readFile(this.#path, 'utf8').catch(() => ''))
      this.#readMs = changedMs
    }
    return this.#names.has(hostname.toLowerCase())
  }
}

/** Lines of an address and its names; `#` begins a comment. */
function namesIn(text: string): Set<string> {
  const names = new Set<string>()
  for (const line of text.toLowerCase().split('\n')) {
    const [, ...named] = line.replace(/#.*/, '').trim().split(/\s+/)
    for (const name of named) names.add(name)
  }
  return names
}

function systemPath(): string {
  return process.platform === 'win32' ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts') : '/etc/hosts'
}
