/** What changes the state of a script (HTML Standard, 13.2.5.15 to 13.2.5.31); `<!-->` both opens and closes. */
const marks = /<!(?=--)|-->|<script(?=[\s/>])/gi
/** The longest of them and the character behind it. */
const longestMark = 8

/**
 * Follows what HTML calls escapes: in a script, behind `<!--` a start tag of script makes the next `</script>` a part of the script. Old pages write
 * scripts so (`<!-- document.write("<script></script>") -->`), and a tokenizer that does not know it takes the rest of theirs for markup.
 */
export class ScriptEscapes {
  #state: 'plain' | 'escaped' | 'nested' = 'plain'
  #rest = ''

  /** Takes the next characters of the script. */
  feed(text: string): void {
    const all = this.#rest + text
    let from = 0
    for (const { 0: mark, index } of all.matchAll(marks)) {
      if (mark === '-->') this.#state = 'plain'
      else if (mark === '<!' && this.#state === 'plain') this.#state = 'escaped'
      else if (mark !== '<!' && this.#state === 'escaped') this.#state = 'nested'
      from = index + mark.length
    }
    this.#rest = all.slice(Math.max(from, all.length - longestMark))
  }

  /** Takes an end tag of script. @returns whether it ends the script */
  close(): boolean {
    if (this.#state !== 'nested') return true
    this.#state = 'escaped'
    this.#rest = ''
    return false
  }
}
