import { afterAll } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) {
    Bun.spawnSync(['umount', '-l', folder], { stderr: 'ignore' })
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Something may be mounted at it; both end with the file of tests. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-volume-')))
  folders.push(folder)
  return folder
}

export const mountDisk = (folder: string, options: string): boolean =>
  Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stderr: 'ignore' }).success

/** A folder on a file system of its own; undefined where none can be mounted. */
export function newVolume(size: string): string | undefined {
  const folder = newFolder()
  return mountDisk(folder, `size=${size}`) ? folder : undefined
}

export const canMountDisks = newVolume('1m') !== undefined
/** Ends the title of a test that needs one. */
export const whyNoDisks = canMountDisks ? '' : ' (skipped, because no disk can be mounted)'
