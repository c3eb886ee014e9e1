const space = /[\t\n\f\r ]/

/** URLs of a srcset attribute (HTML Standard, 4.8.4.2.2), descriptors left out. Linear in the length of the value. */
export function srcsetUrls(value: string): string[] {
  const urls: string[] = []
  let at = 0
  while (at < value.length) {
    while (at < value.length && (space.test(value[at] as string) || value[at] === ',')) at++
    const start = at
    while (at < value.length && !space.test(value[at] as string)) at++
    const candidate = value.slice(start, at)
    const url = trimCommas(candidate)
    if (url !== '') urls.push(url)
    if (url.length === candidate.length) at = endOfDescriptors(value, at)
  }
  return urls
}

function trimCommas(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === ',') end--
  return text.slice(0, end)
}

/** The place behind the comma that ends the descriptors; commas in parentheses do not. */
function endOfDescriptors(value: string, from: number): number {
  let isInParentheses = false
  for (let at = from; at < value.length; at++) {
    const character = value[at]
    if (character === '(') isInParentheses = true
    else if (character === ')') isInParentheses = false
    else if (character === ',' && !isInParentheses) return at + 1
  }
  return value.length
}
