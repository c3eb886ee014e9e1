import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { findPluginFile } from '../../lib/plugin/plugin-path.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('findPluginFile', () => {
  const newFolder = useTempFolders()
  let folder: string

  /** A package with this manifest and a file of each name. */
  function install(name: string, manifest: object, files: readonly string[]): string {
    const root = join(folder, 'node_modules', name)
    mkdirSync(root, { recursive: true })
    writeFileSync(join(root, 'package.json'), JSON.stringify({ name, ...manifest }))
    for (const file of files) writeFileSync(join(root, file), '')
    return root
  }
  beforeEach(() => {
    folder = newFolder()
    mkdirSync(join(folder, 'sub'))
    writeFileSync(join(folder, 'p.mjs'), '')
  })

  it('finds files as seen from the folder', () => {
    const file = join(folder, 'p.mjs')
    expect(findPluginFile('./p.mjs', folder)).to.equal(file)
    expect(findPluginFile('../p.mjs', join(folder, 'sub'))).to.equal(file)
    expect(findPluginFile('p.mjs', folder)).to.equal(file)
    expect(findPluginFile(file, '/')).to.equal(file)
    expect(findPluginFile(pathToFileURL(file).href, '/')).to.equal(file)
  })

  for (const { what, manifest, file } of [
    { what: 'with main', manifest: { main: 'm.js' }, file: 'm.js' },
    { what: 'without anything', manifest: {}, file: 'index.js' },
    { what: 'with one export', manifest: { exports: './m.js' }, file: 'm.js' },
    { what: 'that can be required', manifest: { exports: { require: './m.js', import: './i.js' } }, file: 'm.js' },
    { what: 'that can only be imported', manifest: { type: 'module', exports: { import: './i.js' } }, file: 'i.js' },
    {
      what: 'with types before it',
      manifest: { exports: { '.': { types: './m.d.ts', import: { browser: './m.js', default: './i.js' } } } },
      file: 'i.js',
    },
  ])
    for (const name of ['own', '@scope/own'])
      it(`finds ${name}, a package ${what}, from a folder below`, () => {
        const root = install(name, manifest, ['m.js', 'i.js', 'index.js'])
        expect(findPluginFile(name, join(folder, 'sub'))).to.equal(join(root, file))
      })

  it('finds what a package exports beside', () => {
    const root = install('own', { exports: { '.': './index.js', './extra': { import: './i.js' } } }, ['index.js', 'i.js'])
    expect(findPluginFile('own/extra', folder)).to.equal(join(root, 'i.js'))
    expect(findPluginFile('own/none', folder)).to.equal(undefined)
  })

  it('finds nothing where there is nothing', () => {
    install('gone', { exports: { import: './gone.js' } }, [])
    for (const name of ['./none.mjs', 'none', '@scope/none', '/none.mjs', 'file:///none.mjs', 'gone', 'node:fs', 'fs'])
      expect(findPluginFile(name, folder), name).to.equal(undefined)
  })
})
