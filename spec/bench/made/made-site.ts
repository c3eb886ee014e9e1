import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A static site that every host serves alike. */
export interface SitePlan {
  readonly pages: number
  readonly hosts: number
  readonly port: number
}

const words = 'mill race wheel water stone grain flour sluice river weir pond gate axle gear spring meadow bridge path town market'.split(' ')
const sections = 30
const pagesPerFolder = 500

/** Writes pages of about 20 kB with some 50 links each, few of which most links lead to; the same site each time. */
export function writeMadeSite(folder: string, plan: SitePlan): void {
  const next = generator(2026)
  for (let number = 0; number < plan.pages; number++) {
    const file = join(folder, pagePath(number))
    if (number % pagesPerFolder === 0) mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, madePage(number, plan, next))
  }
  const step = Math.max(1, Math.floor(plan.pages / 200))
  const index = Array.from({ length: Math.min(200, plan.pages) }, (_, each) => `<a href="${pagePath((each * step) % plan.pages)}">${each}</a>`)
  writeFileSync(join(folder, 'index.html'), `<html><body>${index.join('\n')}</body></html>`)
  writeFileSync(join(folder, 'robots.txt'), 'User-agent: *\nDisallow: /private/\n')
}

function pagePath(number: number): string {
  return `/part-${Math.floor(number / pagesPerFolder)}/page-${number}.html`
}

type Next = () => number

/** Numbers from 0 to 1 that are the same in every run (Numerical Recipes' linear congruence). */
function generator(seed: number): Next {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function madePage(number: number, { pages, hosts, port }: SitePlan, next: Next): string {
  const target = (): string => pagePath(Math.floor(pages * next() ** 2.2))
  const sentence = (): string => `${Array.from({ length: 8 + Math.floor(next() * 12) }, () => words[Math.floor(next() * words.length)]).join(' ')}. `
  const menu = Array.from({ length: 10 }, (_, each) => `<li><a class="entry" href="${pagePath((each * 7) % pages)}">part ${each}</a></li>`)
  const blocks = Array.from({ length: sections }, (_, each) => {
    const link = `<a href="${target()}?from=${each}&amp;of=${number % 10}#s${each}">${words[each % words.length]}</a>`
    const other = each % 5 === 0 ? ` <a href="http://127.0.0.${1 + Math.floor(next() * hosts)}:${port}${target()}">next door</a>` : ''
    const image = each % 6 === 0 ? `<img src="/pictures/${each}.png" alt="a picture"><script>var no = "<a href='/not-a-link'>"</script>` : ''
    return `<h2 id="s${each}">${sentence()}</h2><p class="text" data-number="${each}">${sentence().repeat(3)}${sentence()}${link}${other}${image}</p>`
  })
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Page ${number}</title><link rel="stylesheet" href="/style.css">
<meta name="description" content="${sentence()}"></head><body><nav><ul>${menu.join('')}</ul></nav><main>
${blocks.join('\n')}
<a href="${pagePath((number + 1) % pages)}">next</a></main></body></html>`
}
