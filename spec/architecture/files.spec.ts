import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectRoot } from '../support/paths.js'
import { readSources, trackedFiles } from './source-files.js'

const sources = readSources('lib', 'pipelines')
const everything = [...sources, ...readSources('spec')]
const maxLines = 250

/** `path:line` of each line that matches. */
function places(files: readonly { readonly path: string; readonly text: string }[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 100)}`] : [])),
  )
}

describe('source files', () => {
  it(`have at most ${maxLines} lines`, () => {
    const long = everything.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 })).filter(({ lines }) => lines > maxLines)
    expect(long).to.deep.equal([])
  })

  it('have names in kebab-case', () => {
    expect(everything.map(({ path }) => path).filter(path => !/^[a-z0-9-]+(\/[a-z0-9-]+)*(\.spec)?\.ts$/.test(path))).to.deep.equal([])
  })

  it('have no default export', () => {
    expect(places(everything, /^export default\b|\bas default\b/)).to.deep.equal([])
  })

  it('of lib print nothing and end no process', () => {
    const lib = sources.filter(({ path }) => path.startsWith('lib/'))
    expect(places(lib, /\bconsole\s*\.|\bprocess\.(stdout|stderr|exit)\b/)).to.deep.equal([])
  })

  it('hold no left-overs, and no spec that runs alone or not at all', () => {
    expect(places(sources, /\b(TODO|FIXME|XXX|HACK)\b/)).to.deep.equal([])
    expect(places(everything, /^\s*(describe|it)\.(only|skip)\(/)).to.deep.equal([])
  })

  it('say something about everything that the package exports', () => {
    const index = sources.filter(({ path }) => path === 'lib/index.ts' || path === 'pipelines/index.ts')
    const bare = index.flatMap(({ path, text }) => exportsOf(path, text)).filter(({ file, name }) => !isDocumented(file, name))
    expect(bare.map(({ file, name }) => `${file}: ${name}`)).to.deep.equal([])
  })
})

describe('tracked files', () => {
  const texts = trackedFiles()
    .filter(path => !/^fixtures\/|\.(png|gz|svg|warc)$/.test(path))
    .map(path => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') }))

  it('name no folder of a machine and no registry', () => {
    expect(texts.length).to.be.above(60)
    const machine = new RegExp(`(?<![\\w.])/(${['work', 'farm', 'root', 'home'].join('|')})/[a-z.]|"resolved": *"http`)
    expect(places(texts, machine)).to.deep.equal([])
  })

  it('stand in the folders of the map', () => {
    const known =
      /^(package(-lock)?\.json|tsconfig.*\.json|biome\.jsonc?|(README|CONTRIBUTING|CHANGELOG|SECURITY)\.md|LICENSE|NOTICE|\.gitignore|\.gitattributes|\.editorconfig|\.nvmrc|\.npmrc|\.mocharc\.json|\.c8rc\.json|(\.ci|lib|pipelines|fixtures|spec)\/.*)$/
    expect(texts.map(({ path }) => path).filter(path => !known.test(path))).to.deep.equal([])
  })
})

interface Exported {
  readonly file: string
  readonly name: string
}

/** What an index hands on, and the file in which it is declared. */
function exportsOf(indexPath: string, text: string): Exported[] {
  const folder = indexPath.slice(0, indexPath.lastIndexOf('/'))
  return [...text.matchAll(/export (?:type )?\{([^}]*)\} from '\.?([^']+)\.js'/g)].flatMap(([, names = '', path = '']) =>
    names
      .split(',')
      .map(name =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*/, ''),
      )
      .filter(name => name !== '')
      .map(name => ({ file: join(folder, `${path}.ts`), name })),
  )
}

/** Whether a comment ends on the line before the declaration, or before a decorated or overloaded one. */
function isDocumented(file: string, name: string): boolean {
  const source = sources.find(({ path }) => path === file)
  return (
    source !== undefined &&
    new RegExp(`\\*/\\nexport (?:declare )?(?:abstract )?(?:async )?(?:const|function\\*?|class|interface|type) ${name}\\b`).test(source.text)
  )
}
