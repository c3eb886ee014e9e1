import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseNutchSite } from '../../lib/config/nutch-site.js'
import type { ConfigLayer } from '../../lib/config/resolve-config.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { findPluginFile } from '../../lib/plugin/plugin-path.js'
import { isJsonObject } from '../../lib/record/line-format.js'

/** The layers that files give: nutch-site.xml, then millrace.config.json; of `folder`, else of the working folder. */
export function readConfigLayers(folder = '.', configFile?: string): ConfigLayer[] {
  const layers: ConfigLayer[] = []
  const nutchSite = firstExisting(folder, 'nutch-site.xml')
  if (nutchSite !== undefined) layers.push({ source: nutchSite, values: parseNutchSite(readConfigFile(nutchSite), nutchSite), isStrict: false })
  const file = configFile ?? firstExisting(folder, 'millrace.config.json')
  if (file !== undefined) layers.push({ source: file, values: parseJsonConfig(readConfigFile(file), file) })
  return layers
}

function firstExisting(folder: string, name: string): string | undefined {
  return [join(folder, name), name].find(file => existsSync(file))
}

function readConfigFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CrawlError('CONFIG_INVALID', `${file} cannot be read`, { cause })
  }
}

function parseJsonConfig(text: string, file: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new CrawlError('CONFIG_INVALID', `${file} does not read as JSON`, { cause })
  }
  if (!isJsonObject(value)) throw new CrawlError('CONFIG_INVALID', `${file}: a JSON object is wanted`)
  const { $schema: _, plugins, ...values } = value
  return { ...values, ...pluginsSeenFrom(file, plugins, values['millrace.plugins']) }
}

/** The modules that a file names, as seen from it. One that is not there keeps its name: loading it says so. */
function pluginsSeenFrom(file: string, short: unknown, long: unknown): Record<string, unknown> {
  if (short !== undefined && long !== undefined) throw new CrawlError('CONFIG_INVALID', `${file}: plugins and millrace.plugins are one option`)
  const given = short ?? long
  if (given === undefined) return {}
  const names: readonly unknown[] = typeof given === 'string' ? given.split(/[,\n]/).map(name => name.trim()) : Array.isArray(given) ? given : [given]
  if (!names.every(name => typeof name === 'string')) throw new CrawlError('CONFIG_INVALID', `${file}: plugins: a list of modules is wanted`)
  const folder = resolve(dirname(file))
  const seen = names.filter(name => name !== '').map(name => findPluginFile(name, folder) ?? (name.startsWith('.') ? resolve(folder, name) : name))
  return { 'millrace.plugins': seen }
}
