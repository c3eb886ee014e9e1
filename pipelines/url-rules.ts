import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { UrlConfig } from '../lib/config/url-options.js'
import { CrawlError, messageOf, systemCodeOf } from '../lib/errors/crawl-error.js'
import { type Logger, silentLogger } from '../lib/log/logger.js'
import type { RuleFile } from '../lib/url/rule-file.js'
import { noRuleFile, type ReadRules, type RuleSource } from '../lib/url/rule-sources.js'
import { compileFilters, type UrlFilters } from '../lib/url/url-filters.js'
import { compileNormalizers, type UrlNormalizers } from '../lib/url/url-normalizers.js'
import { noPlugins, type Plugins } from './plugins.js'

/** The rules that decide which URLs a crawl has, and in which form. */
export interface UrlRules {
  readonly normalizers: UrlNormalizers
  readonly filters: UrlFilters
}

/** Reads the rule files of the configuration and compiles them; lines that are left out are logged.
 *  @throws {CrawlError} CONFIG_INVALID, URL_RULE_INVALID */
export function loadUrlRules(config: UrlConfig, log: Logger = silentLogger): UrlRules {
  return { normalizers: loadNormalizers(config, log), filters: loadFilters(config, log) }
}

/** @param chain normalizers in place of the configured ones: see CompileNormalizersOptions */
export function loadNormalizers(
  config: UrlConfig,
  log: Logger = silentLogger,
  chain?: readonly string[],
  plugins: Plugins = noPlugins,
): UrlNormalizers {
  const normalizers = compileNormalizers(config, ruleReader(log), { extra: plugins.normalizers, ...(chain === undefined ? {} : { chain }) })
  for (const { file, line, reason } of normalizers.warnings) log.warn({ file, line, reason }, 'rule left out')
  return normalizers
}

/** @param chain filters in place of the configured ones */
export function loadFilters(config: UrlConfig, log: Logger = silentLogger, chain?: readonly string[], plugins: Plugins = noPlugins): UrlFilters {
  return compileFilters(config, ruleReader(log), chain, plugins.urlFilters)
}

/** Reads rules, the shipped ones from fixtures/rules. */
export function ruleReader(log: Logger = silentLogger): ReadRules {
  return source => readSource(source, log)
}

function readSource(source: RuleSource, log: Logger): RuleFile {
  switch (source.kind) {
    case 'none':
      return noRuleFile
    case 'text':
      return { name: source.name, text: source.text }
    case 'shipped':
      return { name: `fixtures/rules/${source.path}`, text: readText(fileURLToPath(new URL(`../../fixtures/rules/${source.path}`, import.meta.url))) }
    case 'file':
      return readOptional(source.path, source.mayBeMissing, log)
  }
}

function readOptional(path: string, mayBeMissing: boolean, log: Logger): RuleFile {
  try {
    return { name: path, text: readText(path) }
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    if (!mayBeMissing || systemCodeOf(cause) !== 'ENOENT') throw error
    log.warn({ file: path }, 'rule file is missing: its filter lets all URLs pass')
    return noRuleFile
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new CrawlError('CONFIG_INVALID', `rule file ${path} cannot be read: ${messageOf(cause)}`, { cause })
  }
}
