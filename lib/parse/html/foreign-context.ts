import type { ElementRule } from './element-rules.js'

/** Elements inside SVG and MathML whose content is HTML again (HTML Standard, 13.2.6, "HTML integration point"). */
const integrationPoints = new Set(['foreignobject', 'desc', 'title', 'mi', 'mo', 'mn', 'ms', 'mtext', 'annotation-xml'])
const hiddenForeign = new Set(['title', 'desc', 'style', 'script', 'metadata', 'annotation', 'annotation-xml'])

/** Which SVG and MathML elements are open. Deeper than `maxDepth` only a count is kept. */
export class ForeignContext {
  readonly #open: string[] = []
  readonly #maxDepth: number
  #deeper = 0
  #hiddenCount = 0
  #isForeign = false

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  /** What comes next is SVG or MathML, not HTML. */
  get isForeign(): boolean {
    return this.#isForeign
  }

  get isInside(): boolean {
    return this.#open.length > 0
  }

  /** Inside a title, description, style or script of SVG or MathML. */
  get isHidden(): boolean {
    return this.#hiddenCount > 0
  }

  enter(name: string): void {
    if (this.#open.length >= this.#maxDepth) {
      this.#deeper++
      return
    }
    this.#open.push(name)
    if (hiddenForeign.has(name)) this.#hiddenCount++
    this.#isForeign = !integrationPoints.has(name)
  }

  /** Closes up to the innermost open element of this name. @returns whether there was one */
  close(name: string): boolean {
    if (this.#deeper > 0) {
      this.#deeper--
      return true
    }
    const at = this.#open.lastIndexOf(name)
    if (at < 0) return false
    while (this.#open.length > at) this.#pop()
    return true
  }

  /** Leaves for the HTML around: up to an integration point, or altogether. */
  breakOut(): void {
    this.#deeper = 0
    while (this.isForeign) this.#pop()
  }

  leave(): void {
    this.#deeper = 0
    while (this.#open.length > 0) this.#pop()
  }

  #pop(): void {
    const name = this.#open.pop()
    if (name !== undefined && hiddenForeign.has(name)) this.#hiddenCount--
    const innermost = this.#open[this.#open.length - 1]
    this.#isForeign = innermost !== undefined && !integrationPoints.has(innermost)
  }
}

/** Whether a start tag opens SVG or MathML. */
export function opensForeign(rule: ElementRule): boolean {
  return rule.name === 'svg' || rule.name === 'math'
}
