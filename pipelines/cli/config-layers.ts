import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseNutchSite } from '../../lib/config/nutch-site.js'
import type { ConfigLayer } from '../../lib/config/resolve-config.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
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
  const { $schema: _, plugins: __, ...values } = value
  return values
}
