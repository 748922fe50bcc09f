import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A btrfs of its own, in a file that is mounted. */
export interface Btrfs extends Disposable {
  readonly top: string
  subvolume(path: string): string
  /** A read-only one; the folder in which it shall lie is made. */
  snapshot(subvolume: string, path: string): string
}

/** Undefined where the account may not mount, or btrfs is missing. */
export function mountBtrfs(): Btrfs | undefined {
  // In memory where that is possible: each sync of the file system waits for what holds the image.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'filestead-btrfs-'))
  const [image, top] = [join(folder, 'image'), join(folder, 'top')]
  mkdirSync(top)
  writeFileSync(image, '')
  // The least that mkfs.btrfs takes; the file has holes.
  truncateSync(image, 128 * 1024 * 1024)
  const isMounted = run('mkfs.btrfs', '-q', image) && run('mount', '-o', 'loop', image, top)
  if (!isMounted) {
    rmSync(folder, { recursive: true, force: true })
    console.log('btrfs cannot be mounted here: nothing is tested on it')
    return undefined
  }
  const need = (...command: string[]) => {
    if (!run(...command)) throw new Error(`${command.join(' ')} has failed`)
  }
  return {
    top,
    subvolume(path) {
      need('btrfs', 'subvolume', 'create', join(top, path))
      return join(top, path)
    },
    snapshot(subvolume, path) {
      mkdirSync(join(top, path, '..'), { recursive: true })
      need('btrfs', 'subvolume', 'snapshot', '-r', subvolume, join(top, path))
      return join(top, path)
    },
    [Symbol.dispose]() {
      // What reads there may not have closed everything yet.
      run('umount', '-l', top)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const run = (...[program = '', ...args]: string[]): boolean => spawnSync(program, args).status === 0
