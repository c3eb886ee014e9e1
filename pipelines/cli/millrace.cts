#!/usr/bin/env node
// Node looks host names up on half the threads of its pool, which are four: two name servers that do not answer would hold every other host up. The
// size is read once, before an ES module has its say, so this file is none. The threads wait without using anything.
process.env.UV_THREADPOOL_SIZE ??= '64'
import('./main.js')
