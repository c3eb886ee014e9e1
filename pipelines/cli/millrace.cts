#!/usr/bin/env node
// Node looks host names up on half the threads of its pool, which are four: two name servers that do not answer would hold every other host up. The
// size is read once, before an ES module has its say, so this file is none. Commands that look no names up keep the four: each thread that works for
// LevelDB has memory of its own.
const asksNameServers = ['crawl', 'fetch', 'generate', 'freegen']
if (asksNameServers.includes(process.argv[2] ?? '')) process.env.UV_THREADPOOL_SIZE ??= '64'
import('./main.js')
