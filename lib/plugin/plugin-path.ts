import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isJsonObject } from '../record/line-format.js'

/**
 * The file that a plugin's name stands for, seen from `folder`: a path (`./p.js`, `/x/p.js`), a `file:` URL, or a package that is installed there.
 * Undefined if there is no such file or package.
 */
export function findPluginFile(name: string, folder: string): string | undefined {
  if (name.startsWith('file:')) return existing(fileURLToPath(name))
  if (isAbsolute(name) || /^\.\.?[\\/]/.test(name)) return existing(resolve(folder, name))
  return packageFile(name, resolve(folder)) ?? existing(resolve(folder, name))
}

function existing(file: string): string | undefined {
  return existsSync(file) ? file : undefined
}

/** As Node finds packages; those that can only be imported, not required, are found by their package.json. */
function packageFile(name: string, folder: string): string | undefined {
  const require = createRequire(join(folder, 'package.json'))
  try {
    const found = require.resolve(name)
    return isAbsolute(found) ? found : undefined // one of Node's own modules is none
  } catch {
    const packageName = name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/')
    const subpath = `.${name.slice(packageName.length)}`
    for (const root of require.resolve.paths(packageName) ?? []) {
      const manifest = join(root, packageName, 'package.json')
      if (existsSync(manifest)) return importedFile(manifest, subpath)
    }
    return undefined
  }
}

function importedFile(manifest: string, subpath: string): string | undefined {
  const json: unknown = JSON.parse(readFileSync(manifest, 'utf8'))
  const exports = isJsonObject(json) ? json.exports : undefined
  const entry = isJsonObject(exports) && Object.hasOwn(exports, subpath) ? exports[subpath] : subpath === '.' ? exports : undefined
  const target = conditionalTarget(entry)
  return target === undefined ? undefined : existing(join(dirname(manifest), target))
}

/** The file of an `exports` entry, by the conditions that an import has. */
function conditionalTarget(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry
  if (!isJsonObject(entry)) return undefined
  for (const [condition, value] of Object.entries(entry)) {
    if (!['import', 'node', 'default', 'module-sync'].includes(condition)) continue
    const target = conditionalTarget(value)
    if (target !== undefined) return target
  }
  return undefined
}
