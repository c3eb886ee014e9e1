import { stepOf } from '../../explain/decision.js'
import { type JavaUrl, javaUrl } from '../java-url.js'
import { type RuleFile, ruleLinesOf } from '../rule-file.js'
import { type HostRule, HostRules } from './host-rules.js'
import type { UrlNormalizer } from './url-normalizer.js'

/** A line of a rule file that was left out, and why: Nutch warns and goes on. */
export interface RuleWarning {
  readonly file: string
  readonly line: number
  readonly reason: string
}

/** Nutch's HostURLNormalizer: lines of a host, or `*.` and a domain, and the host to take instead. */
export function hostNormalizer(file: RuleFile, warnings: RuleWarning[]): UrlNormalizer {
  const isHost = (text: string): boolean => /^[^\s/:@?#]+$/.test(text)
  const rules = readHostRules(file, warnings, 'a host and its replacement', ([value]) => (value !== undefined && isHost(value) ? value : undefined))
  return hostRuleNormalizer('host', rules, (url, { value }) => (url.host === value ? undefined : textOf({ ...url, host: value })))
}

/** Nutch's SlashURLNormalizer: lines of a host and `+` (paths end in a slash unless they end in a file name) or `-` (they do not). */
export function slashNormalizer(file: RuleFile, warnings: RuleWarning[]): UrlNormalizer {
  const rules = readHostRules(file, warnings, 'a host and + or -', ([value]) => (value === '+' || value === '-' ? value : undefined))
  return hostRuleNormalizer('slash', rules, (url, { value }) => {
    if (url.path.length < 2) return undefined
    const hasSlash = url.path.endsWith('/')
    if (value === '-') return hasSlash ? textOf({ ...url, path: withoutEndSlashes(url.path) }) : undefined
    return hasSlash || fileName.test(url.path) ? undefined : textOf({ ...url, path: `${url.path}/` })
  })
}

/** Nutch's ProtocolURLNormalizer: lines of a host, or `*.` and a domain, and its protocol. URLs with a port are left alone. */
export function protocolNormalizer(file: RuleFile, warnings: RuleWarning[]): UrlNormalizer {
  const rules = readHostRules(file, warnings, 'a host and a protocol', ([value, ...more]) =>
    value !== undefined && more.length === 0 && /^[a-z][a-z0-9+.-]*$/i.test(value) ? value.toLowerCase() : undefined,
  )
  return hostRuleNormalizer('protocol', rules, (url, { value }) =>
    url.protocol === value || url.port !== '' ? undefined : textOf({ ...url, protocol: value }),
  )
}

/** The last segment ends in what is an extension rather than a part of a sentence. */
const fileName = /\.[A-Za-z0-9]{1,5}$/

function withoutEndSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

function readHostRules<T>(
  file: RuleFile,
  warnings: RuleWarning[],
  wanted: string,
  readValue: (words: readonly string[]) => T | undefined,
): HostRules<T> {
  const rules = new HostRules<T>()
  for (const line of ruleLinesOf(file)) {
    const [host = '', ...words] = line.text.split(/\s+/)
    const value = readValue(words)
    if (value === undefined) warnings.push({ file: file.name, line: line.number, reason: `${wanted} wanted: ${line.text}` })
    else rules.add(host, value, file, line)
  }
  return rules
}

function hostRuleNormalizer<T>(name: string, rules: HostRules<T>, change: (url: JavaUrl, rule: HostRule<T>) => string | undefined): UrlNormalizer {
  const explain: UrlNormalizer['explain'] = url => {
    const parts = rules.size === 0 ? undefined : javaUrl(url)
    const rule = parts === undefined ? undefined : rules.find(parts.host)
    const after = parts === undefined || rule === undefined ? undefined : change(parts, rule)
    if (rule === undefined || after === undefined || after === url) return { url, steps: [] }
    return { url: after, steps: [stepOf(rule, url, after)] }
  }
  return { name, apply: url => (rules.size === 0 ? url : explain(url).url), explain }
}

function textOf({ protocol, userinfo, host, port, path, query, ref }: JavaUrl): string {
  return `${protocol}://${userinfo}${host}${port}${path}${query === undefined ? '' : `?${query}`}${ref === undefined ? '' : `#${ref}`}`
}
