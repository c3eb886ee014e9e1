import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** A file system in memory of this size at `folder`, or undefined where none may be mounted. */
export function mountSmallDisk(folder: string, sizeMib: number): SmallDisk | undefined {
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return {
    resizeKib: newSizeKib => void execFileSync('mount', ['-o', `remount,size=${newSizeKib}k`, folder]),
    makeReadOnly: () => void execFileSync('mount', ['-o', 'remount,ro', folder]),
    resize: newSizeMib => void execFileSync('mount', ['-o', `remount,size=${newSizeMib}m`, folder]),
    unmount: () => void execFileSync('umount', [folder]),
  }
}

export interface SmallDisk {
  resize(sizeMib: number): void
  resizeKib(sizeKib: number): void
  makeReadOnly(): void
  unmount(): void
}
