import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { millraceBin } from './cli.js'
import { projectRoot } from './paths.js'
import { withTempFolder } from './temp-folder.js'

export interface ShellResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a line of shell in which `millrace` is the built program. Working folder: the project's root, or `folder`. */
export function runShell(script: string, env: Readonly<Record<string, string>> = {}, folder = projectRoot): Promise<ShellResult> {
  return withTempFolder(async bin => {
    const shim = join(bin, 'millrace')
    writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${millraceBin}' "$@"\n`)
    chmodSync(shim, 0o755)
    const child = spawn('sh', ['-c', script], {
      cwd: folder,
      env: { ...process.env, ...env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const texts = Promise.all([child.stdout, child.stderr].map(async stream => Buffer.concat(await stream.toArray()).toString()))
    const status = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
    const [stdout = '', stderr = ''] = await texts
    return { status, stdout, stderr }
  })
}
