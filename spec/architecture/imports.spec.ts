import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectRoot } from '../support/paths.js'
import { packageOf, readSources, type SourceFile } from './source-files.js'

/** style.md §1: each line may import the lines above it and itself, nothing below. */
const pureLayers: readonly (readonly string[])[] = [
  ['errors'],
  ['log'],
  ['config'],
  ['record'],
  ['stream'],
  ['url', 'robots', 'schedule', 'score', 'signature', 'explain'],
]
/** Storage, network and what an operator adds: they import the layers above, never each other. */
const outerFolders = ['crawldb', 'linkdb', 'segment', 'fetch', 'parse', 'warc', 'index', 'plugin', 'metrics', 'control', 'store']
/** Foundations that outer folders stand on. */
const sharedOuter = new Map([['store', ['crawldb', 'linkdb', 'segment', 'control', 'warc']]])

const sources = readSources('lib', 'pipelines')
const specs = readSources('spec')
const libFolderOf = (path: string): string | undefined => /^lib\/([^/]+)\//.exec(path)?.[1]
const layerOf = (folder: string): number => pureLayers.findIndex(layer => layer.includes(folder))

interface Crossing {
  readonly from: SourceFile
  readonly target: string
}
const crossings: readonly Crossing[] = sources.flatMap(from => from.imports.flatMap(({ target }) => (target === undefined ? [] : [{ from, target }])))
const show = ({ from, target }: Crossing): string => `${from.path} imports ${target}`

function mayImport(fromFolder: string, toFolder: string): boolean {
  if (fromFolder === toFolder) return true
  const from = layerOf(fromFolder)
  const to = layerOf(toFolder)
  if (from >= 0) return to >= 0 && (to < from || (to === from && pureLayers[from]?.length !== 1))
  return to >= 0 || sharedOuter.get(toFolder)?.includes(fromFolder) === true
}

describe('imports', () => {
  it('are found: this spec sees the files and what they import', () => {
    expect(sources.length).to.be.above(30)
    expect(crossings.map(show)).to.include('lib/stream/split-lines.ts imports lib/errors/crawl-error.ts')
    expect(readSources('lib').some(({ imports }) => imports.some(({ specifier }) => specifier === 'through2'))).to.equal(true)
  })

  it('of files name files that exist', () => {
    const known = new Set([...sources, ...specs].map(({ path }) => path))
    expect(crossings.filter(({ target }) => !known.has(target)).map(show)).to.deep.equal([])
  })

  it('know every folder of lib', () => {
    const folders = new Set(sources.map(({ path }) => libFolderOf(path)).filter(folder => folder !== undefined))
    const known = [...pureLayers.flat(), ...outerFolders]
    expect([...folders].filter(folder => !known.includes(folder))).to.deep.equal([])
  })

  it('in lib point one way: pure layers upwards, outer folders never to a neighbour, none to pipelines or spec', () => {
    const wrong = crossings.filter(({ from, target }) => {
      if (!from.path.startsWith('lib/')) return false
      if (!target.startsWith('lib/')) return true
      const fromFolder = libFolderOf(from.path)
      const toFolder = libFolderOf(target)
      return fromFolder !== undefined && toFolder !== undefined && !mayImport(fromFolder, toFolder)
    })
    expect(wrong.map(show)).to.deep.equal([])
  })

  it('of pipelines never lead to the command line or to specs; nothing in lib imports its index', () => {
    const wrong = crossings.filter(
      ({ from, target }) =>
        (from.path.startsWith('pipelines/') && !from.path.startsWith('pipelines/cli/') && target.startsWith('pipelines/cli/')) ||
        target.startsWith('spec/') ||
        (target === 'lib/index.ts' && from.path.startsWith('lib/')),
    )
    expect(wrong.map(show)).to.deep.equal([])
  })

  it('make no circle', () => {
    expect(findCircle(sources)).to.deep.equal([])
  })

  it('of the pure layers touch no file, network, process or thread', () => {
    const io = /^node:(fs|net|http|https|http2|tls|dns|dgram|child_process|cluster|worker_threads|readline|repl)(\/|$)/
    const wrong = sources.filter(({ path, imports }) => layerOf(libFolderOf(path) ?? '') >= 0 && imports.some(({ specifier }) => io.test(specifier)))
    expect(wrong.map(({ path }) => path)).to.deep.equal([])
  })

  it('of through2 stand in lib/stream only', () => {
    const wrong = sources.filter(({ path, imports }) => !path.startsWith('lib/stream/') && imports.some(({ specifier }) => specifier === 'through2'))
    expect(wrong.map(({ path }) => path)).to.deep.equal([])
  })

  it('of the platform bear the node: prefix', () => {
    const bare = [...sources, ...specs].flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => isBuiltin(specifier) && !specifier.startsWith('node:'))
        .map(({ specifier }) => `${path} imports ${specifier}`),
    )
    expect(bare).to.deep.equal([])
  })

  it('of packages are the dependencies, each of which is used', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as PackageJson
    const used = packagesOf(sources)
    expect([...used].sort()).to.deep.equal(Object.keys(dependencies).sort())
    const forTools = ['@biomejs/biome', 'c8', 'mocha', 'typescript']
    const usedBySpecs = packagesOf(specs)
    const unused = Object.keys(devDependencies).filter(name => !name.startsWith('@types/') && !forTools.includes(name) && !usedBySpecs.has(name))
    expect(unused).to.deep.equal([])
  })
})

interface PackageJson {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** Packages that files import or resolve by name. */
function packagesOf(files: readonly SourceFile[]): Set<string> {
  const names = files.flatMap(({ imports, text }) => [
    ...imports.map(({ specifier }) => specifier),
    ...[...text.matchAll(/\brequire(?:\.resolve)?\(\s*['"]([^'".]+)['"]\s*\)/g)].map(match => match[1] ?? ''),
  ])
  return new Set(names.filter(name => !name.startsWith('.') && !isBuiltin(name)).map(packageOf))
}

/** The files of one circle of imports, or none. */
function findCircle(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map(file => [file.path, file]))
  const done = new Set<string>()
  const walk = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return []
    for (const { target } of byPath.get(path)?.imports ?? []) {
      const circle = target === undefined ? [] : walk(target, [...trail, path])
      if (circle.length > 0) return circle
    }
    done.add(path)
    return []
  }
  for (const { path } of files) {
    const circle = walk(path, [])
    if (circle.length > 0) return circle
  }
  return []
}
