import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own, in a file that is mounted, of which it can be seen what a power cut would leave. */
export interface CutDisk extends Disposable {
  readonly top: string
  /** What a power cut would leave now, after the repair that a boot begins with: what the kernel still holds is not there. */
  afterPowerCut<T>(look: (top: string) => T | Promise<T>): Promise<T>
  /** From now on a power cut leaves what is there. */
  settle(): void
}

interface Kind {
  readonly make: readonly string[]
  /** In MiB: the least that it takes, or enough. */
  readonly size: number
  readonly repair?: readonly string[]
  /** The copy has the same number as what is mounted. */
  readonly options?: string
}

// An inode in a block of its own: neighbours are not written along with it.
const ext4 = ['mkfs.ext4', '-q', '-b', '4096', '-I', '4096', '-N', '512']
const repairExt4 = ['e2fsck', '-fy']

const kinds = {
  ext4: { make: ext4, size: 64, repair: repairExt4 },
  'ext4 without a journal': { make: [...ext4, '-O', '^has_journal'], size: 64, repair: repairExt4 },
  xfs: { make: ['mkfs.xfs', '-q'], size: 300, options: 'nouuid' },
  btrfs: { make: ['mkfs.btrfs', '-q'], size: 128 },
} as const satisfies Record<string, Kind>

export type KindOfDisk = keyof typeof kinds

export const kindsOfDisks = Object.keys(kinds) as KindOfDisk[]

/** Undefined where the account may not mount, or the file system is missing. */
export function mountCutDisk(name: KindOfDisk): CutDisk | undefined {
  const { make, size, repair, options }: Kind = kinds[name]
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'filestead-cut-'))
  const at = (part: string) => join(folder, part)
  for (const mounted of ['top', 'after']) mkdirSync(at(mounted))
  writeFileSync(at('image'), '')
  // The file has holes.
  truncateSync(at('image'), size * 1024 * 1024)
  const mount = (image: string, place: string, more = '') =>
    run('mount', '-o', ['loop', options, more].filter(Boolean).join(','), at(image), at(place))
  if (!run(...make, at('image')) || !mount('image', 'top')) {
    rmSync(folder, { recursive: true, force: true })
    console.log(`${name} cannot be mounted here: no power cut is tested on it`)
    return undefined
  }
  return {
    top: at('top'),
    async afterPowerCut(look) {
      run('cp', '--sparse=always', at('image'), at('cut'))
      if (repair !== undefined) run(...repair, at('cut'))
      if (!mount('cut', 'after')) throw new Error('What the power cut left cannot be mounted')
      try {
        return await look(at('after'))
      } finally {
        run('umount', at('after'))
      }
    },
    settle() {
      if (!run('sync', '-f', at('top'))) throw new Error('The file system could not be synced')
    },
    [Symbol.dispose]() {
      // What reads there may not have closed everything yet.
      run('umount', '-l', at('top'))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const run = (...[program = '', ...args]: readonly string[]): boolean => spawnSync(program, args).status === 0
