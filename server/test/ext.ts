import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An ext4 of its own, in a file that is mounted. */
export interface Ext extends Disposable {
  readonly top: string
  /** What a power cut would leave now, after the repair that a boot begins with: what the kernel still holds is not there. */
  afterPowerCut<T>(look: (top: string) => T | Promise<T>): Promise<T>
  /** From now on a power cut leaves what is there. */
  settle(): void
}

/** Undefined where the account may not mount. */
export function mountExt({ journal }: { journal: boolean }): Ext | undefined {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'filestead-ext-'))
  const [image, top, cut, after] = ['image', 'top', 'cut', 'after'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ]
  mkdirSync(top)
  mkdirSync(after)
  writeFileSync(image, '')
  truncateSync(image, 64 * 1024 * 1024)
  const features = journal ? 'has_journal' : '^has_journal'
  // An inode in a block of its own: neighbours are not written along with it.
  const isMade = run('mkfs.ext4', '-q', '-b', '4096', '-I', '4096', '-N', '512', '-O', features, image)
  if (!isMade || !run('mount', '-o', 'loop', image, top)) {
    rmSync(folder, { recursive: true, force: true })
    console.log('ext4 cannot be mounted here: no power cut is tested')
    return undefined
  }
  return {
    top,
    async afterPowerCut(look) {
      copyFileSync(image, cut)
      run('e2fsck', '-fy', cut)
      if (!run('mount', '-o', 'loop,ro', cut, after)) throw new Error('What the power cut left cannot be mounted')
      try {
        return await look(after)
      } finally {
        run('umount', after)
      }
    },
    settle() {
      if (!run('sync', '-f', top)) throw new Error('The file system could not be synced')
    },
    [Symbol.dispose]() {
      // What reads there may not have closed everything yet.
      run('umount', '-l', top)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const run = (...[program = '', ...args]: string[]): boolean => spawnSync(program, args).status === 0
