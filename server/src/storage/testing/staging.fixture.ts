import { expect } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootAt } from '../disk/base.ts'
import { stageBetween, transferBetween } from '../disk/between-roots.ts'
import { clearDrafts } from '../disk/drafts.ts'
import { inTarget } from '../disk/in-target.ts'
import { restoreSources } from '../disk/moving-sources.ts'
import { unstage } from '../disk/publishing.ts'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { parsePath } from '../path.ts'
import type { StageOptions, TransferKind, TransferOptions, UnstageOptions } from '../transfer-options.ts'
import { makeDisk, makeFolder, putFiles } from './disk.fixture.ts'
import { memoryLedger, memoryMoves } from './ledger.fixture.ts'

const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
export const areApart = statSync(memory).dev !== statSync(tmpdir()).dev

export const id = 'job.0'
/** Two roots, on two file systems where there are two; the kernel may be another one from time to time. */
export async function twoRoots({ isFromDisk = false } = {}) {
  const folders = [await makeFolder(memory), await makeFolder(tmpdir())] as const
  const [from, to] = isFromDisk ? [folders[1], folders[0]] : folders
  const [ledger, moves] = [memoryLedger(), memoryMoves()]
  const ends = (kernel: Kernel, source: string, target: string) => {
    const disk = makeDisk({ kernel, ledger, moves, spool: from })
    return [
      { disk, begin: rootAt(disk, from), path: parsePath(source) },
      { disk, begin: rootAt(disk, to), path: parsePath(target) },
    ] as const
  }
  const roots = {
    from,
    to,
    kernel: linuxKernel(),
    stage: (kind: TransferKind, source: string, target: string, options: Partial<StageOptions> = {}) =>
      stageBetween(kind, ...ends(roots.kernel, source, target), { id, replace: false, ...options }),
    transfer: (kind: TransferKind, source: string, target: string, options: Partial<TransferOptions> = {}) =>
      transferBetween(kind, ...ends(roots.kernel, source, target), { replace: false, staged: id, ...options }),
    unstage(target: string, options: UnstageOptions = {}) {
      const [, end] = ends(roots.kernel, '/', target)
      return inTarget(end, end.path, 'must-exist', (place) => unstage(end.disk, place, id, options))
    },
    /** As the next start does. */
    async restart() {
      roots.kernel = linuxKernel()
      await restoreSources(roots.kernel, moves)
      await clearDrafts(roots.kernel, ledger)
      expect([[...ledger.rows], [...moves.rows]]).toEqual([[], []])
    },
  }
  return roots
}

export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Older than what can be mistaken for the same moment. */
export const long = new Date(Date.now() - 600_000)

export async function putOld(root: string, files: Record<string, string>): Promise<void> {
  await putFiles(root, files)
  for (const path of Object.keys(files)) await utimes(join(root, path), long, long)
}
