import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type { ResolvedConfig } from '../../lib/config/resolve-config.js'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import type { Clock } from '../../lib/log/clock.js'
import type { Logger } from '../../lib/log/logger.js'
import type { CrawlStatus } from '../../lib/metrics/crawl-status.js'
import type { ServeDb } from '../job.js'
import type { StdinKind } from './stdin-rule.js'

/** What a command gets from the process it runs in. */
export interface CommandContext {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  /** Data only. */
  readonly stdout: Writable
  /** For people. */
  readonly stderr: Writable & { readonly isTTY?: boolean }
  readonly log: Logger
  /** The time that jobs record: with --now it stands still. */
  readonly clock: Clock
  /** The time that delays are counted by: with --now it starts there, and runs. */
  readonly pacingClock: Clock
  /** Aborted at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** What stdin is, where it is another process's. @defaultValue what file descriptor 0 is */
  readonly stdinKind?: StdinKind
  /** The open CrawlDb, where the command runs inside the process that holds it. */
  readonly heldDb?: CrawlDb
  /** Lets other processes ask this one while it holds the db of a folder. */
  readonly serve?: (folder: string) => ServeDb
  /** Figures of the crawl that this process runs. */
  readonly live?: CrawlStatus
  /** Defaults, nutch-site.xml and millrace.config.json (of `folder`, or of the working folder), -D, and these flags, by property name.
   *  @throws {CrawlError} CONFIG_INVALID */
  configure(folder?: string, flags?: Readonly<Record<string, unknown>>): ResolvedConfig
}

export const exitStatus = { done: 0, nothing: 1, usage: 2, failed: 3, faults: 4, stopped: 130 } as const
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus]

/** One file of this folder: declares its arguments and options, and runs a pipeline with them. */
export interface CommandModule {
  /** Adds arguments, options and an example to `command`. */
  declare(command: Command): Command
  /** `options` as commander read them. */
  run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus>
}

/** Option values by camel-case name; each command narrows them with the readers of `option-values.ts`. */
export type CommandOptions = Readonly<Record<string, unknown>>
