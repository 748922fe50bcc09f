import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure, isFailure } from '../../failure.ts'
import { codeOf } from '../linux/errno.ts'
import { O, type Stat } from '../linux/kernel.ts'
import { isFile, isFolder } from '../linux/modes.ts'
import type { VirtualPath } from '../path.ts'
import type { RestoreOptions } from '../port.ts'
import type { Progress } from '../transfer-options.ts'
import { type End, transferBetween, unlessMissing } from './between-roots.ts'
import { copyContent } from './copying.ts'
import type { Disk } from './disk.ts'
import { dropName, renameOver } from './displace.ts'
import { inBase, inTarget, type Rooted } from './in-target.ts'
import { requireStillWritable, requireWritable } from './replacing.ts'
import { dropInfo, openStoreOf, placeParts } from './stores.ts'
import { sync } from './sync.ts'
import { statAt, type Target } from './target.ts'
import { removeFolder, requireFreeToGo, requireMovable } from './transferring.ts'
import { isMountRoot } from './volume.ts'
import { putFile } from './writing.ts'

/**
 * Takes a kept thing out of its store, as a move within the mount: by a rename, and where the file system is another one
 * by a copy. What it replaces is displaced as `to.disk` says.
 */
export async function restore(
  mount: Rooted,
  place: VirtualPath,
  to: End,
  { over, ...options }: RestoreOptions,
): Promise<void> {
  requirePlace(place)
  const from: End = { ...mount, path: place }
  try {
    if (over === undefined) await transferBetween('move', from, to, options)
    else await restoreOver(from, to, over, options)
  } catch (error) {
    // Where the parents of the target are missing they are made: what is not there is the thing itself.
    if (isFailure(error, 'not-found') && !(await isKept(mount, place)))
      throw new Failure('not-found', 'It is not kept any more')
    throw error
  }
  await dropInfoOf(mount, place)
}

/** A version of a file takes the place of the present one, if that is one of those that were meant. */
const restoreOver = (
  from: End,
  to: End,
  over: readonly string[],
  options: Pick<RestoreOptions, 'signal' | 'progress'>,
): Promise<void> =>
  inTarget(from, from.path, 'must-exist', async (source) => {
    const { kernel } = from.disk
    const stat = kernel.stat(source.folder, source.name)
    if (!isFile(stat.mode)) throw new Failure('invalid', 'only a file can be put in place of another version')
    requireMovable(from.disk, source)
    await inTarget(to, to.path, 'must-exist', async (target) => {
      requireFreeToGo(to.disk, target)
      requireWritable(to.disk, target, { precondition: over })
      if (!replaceBy(to.disk, source, target, over)) {
        await copyOver(to.disk, source, target, over, options)
        dropName(kernel, source)
      }
      await sync(kernel, target.folder)
      await sync(kernel, source.folder)
      options.progress?.({ files: 1, bytes: stat.size, current: '' })
    })
  })

/** From the look to the rename there is no pause. False where a rename is not possible. */
function replaceBy(disk: Disk, source: Target, target: Target, over: readonly string[]): boolean {
  const there = requireStillWritable(disk, target, { precondition: over })
  // All names of a file have the same content, and keep it.
  if (there === undefined || there.links > 1) return false
  try {
    renameOver(disk, source, target, there)
    return true
  } catch (error) {
    if (codeOf(error) !== 'EXDEV' && codeOf(error) !== 'EBUSY') throw error
    return false
  }
}

/** As a save of the same bytes. */
async function copyOver(
  disk: Disk,
  source: Target,
  target: Target,
  over: readonly string[],
  { signal }: Pick<RestoreOptions, 'signal'>,
): Promise<void> {
  const { kernel } = disk
  const fd = kernel.open(source.folder, source.name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
  try {
    const { seconds, nanoseconds } = kernel.statOpen(fd)
    const modified = seconds * 1000 + Math.floor(nanoseconds / 1_000_000)
    await putFile(
      disk,
      target,
      { fill: (draft) => copyContent({ kernel, signal }, fd, draft) },
      { precondition: over, modified },
    )
  } finally {
    kernel.close(fd)
  }
}

interface PurgeOptions {
  signal?: Cancellation | undefined
  progress?: Progress | undefined
}

/** Ends a kept thing, with all it holds, also in folders that are closed to us. */
export async function purge(mount: Rooted, place: VirtualPath, { signal, progress }: PurgeOptions): Promise<void> {
  requirePlace(place)
  // It may be taken out at the last moment.
  await unlessMissing(() => purgeAt(mount, place, { signal, progress }))
}

const purgeAt = (mount: Rooted, place: VirtualPath, { signal, progress }: PurgeOptions): Promise<void> =>
  inBase(
    mount,
    async (root) => {
      const { kernel, ownFiles } = mount.disk
      const store = openStoreOf(kernel, root, place)
      if (store === undefined) return
      try {
        const thing = { folder: store.files, name: store.name }
        const stat = statAt(kernel, thing)
        if (stat !== undefined && isFolder(stat.mode)) {
          // What is mounted in it was not kept with it: it stays, and so do the folders that lead to it.
          const keeps = (item: { stat: Stat }) => isMountRoot(item.stat) || ownFiles.is(item.stat)
          if (keeps({ stat })) throw new Failure('forbidden', 'Something in it has to stay')
          // Out of the way first, so that it cannot be restored while its parts go.
          await removeFolder(mount.disk, thing, signal, progress, { force: true, keeps })
        } else if (stat !== undefined) {
          dropName(kernel, thing)
          progress?.({ files: 1, bytes: stat.size, current: '' })
        }
        dropInfo(kernel, store, store.name)
        await sync(kernel, store.files)
      } finally {
        store.close()
      }
    },
    { toWrite: true },
  )

function requirePlace(place: VirtualPath): void {
  if (placeParts(place) === undefined) throw new Failure('invalid', 'this is no place of a kept thing')
}

const isKept = (mount: Rooted, place: VirtualPath): Promise<boolean> =>
  inBase(mount, (root) => {
    const store = openStoreOf(mount.disk.kernel, root, place)
    try {
      return store !== undefined && mount.disk.kernel.look(store.files, store.name) !== undefined
    } finally {
      store?.close()
    }
  })

/** Of a folder that was merged, what was skipped stays in the store. */
const dropInfoOf = (mount: Rooted, place: VirtualPath): Promise<void> =>
  inBase(mount, (root) => {
    const { kernel } = mount.disk
    const store = openStoreOf(kernel, root, place)
    if (store === undefined) return
    try {
      if (kernel.look(store.files, store.name) === undefined) dropInfo(kernel, store, store.name)
    } finally {
      store.close()
    }
  })
