import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's root: the nearest folder above that holds package.json. */
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

/** The shared test material beside the project, or undefined where there is none. */
export const sharedRoot = existsSync(join(projectRoot, '..', 'shared')) ? join(projectRoot, '..', 'shared') : undefined

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder))
}
