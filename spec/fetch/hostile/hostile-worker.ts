import { parentPort } from 'node:worker_threads'
import { startHostileServer } from './hostile-server.js'
import { plays } from './plays.js'

/** The hostile server on a thread of its own, so that what it pours out does not slow the fetcher's event loop. */
const server = await startHostileServer(plays)
parentPort?.on('message', () => parentPort?.postMessage({ targets: server.targets, openSockets: server.openSockets() }))
parentPort?.postMessage(server.origin)
