import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { projectRoot } from '../support/paths.js'

export interface SourceFile {
  /** From the project's root, with `/`. */
  readonly path: string
  readonly text: string
  /** What it imports or re-exports, in order; type-only imports too. */
  readonly imports: readonly Import[]
}

export interface Import {
  /** As written: `./stage.js`, `node:fs`, `sax`. */
  readonly specifier: string
  /** The source file that a relative specifier names. */
  readonly target?: string
}

/** Every file that git tracks, or that is new and not ignored: what a clone will hold. Without git, nothing. */
export function trackedFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: projectRoot, encoding: 'utf8' })
  return list.split('\0').filter(path => path !== '' && statSync(join(projectRoot, path), { throwIfNoEntry: false })?.isFile() === true)
}

/** TypeScript files under these folders, with their imports. */
export function readSources(...folders: readonly string[]): SourceFile[] {
  return trackedFiles()
    .filter(path => path.endsWith('.ts') && folders.some(folder => path.startsWith(`${folder}/`)))
    .map(path => {
      const text = readFileSync(join(projectRoot, path), 'utf8')
      return { path, text, imports: importsOf(path, text) }
    })
}

const staticImport = /^\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"]/gm
const dynamicImport = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

function importsOf(path: string, text: string): Import[] {
  const specifiers = [...text.matchAll(staticImport), ...text.matchAll(dynamicImport)].map(match => match[1] ?? '')
  return specifiers.map(specifier => {
    if (!specifier.startsWith('.')) return { specifier }
    const target = normalize(join(dirname(path), specifier))
      .replaceAll('\\', '/')
      .replace(/\.js$/, '.ts')
    return { specifier, target }
  })
}

/** The package of a bare specifier: `@scope/name/sub` is `@scope/name`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
