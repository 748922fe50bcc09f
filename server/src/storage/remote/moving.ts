import type { Cancellation } from '../../concurrency/cancellation.ts'
import { taskGroup } from '../../concurrency/task-group.ts'
import { Failure, isFailure } from '../../failure.ts'
import type { Metered } from '../meter.ts'
import { childOf, type VirtualPath } from '../path.ts'
import type { Entry, Precondition } from '../port.ts'
import type { TransferKind } from '../transfer-options.ts'
import { contentOf } from './content.ts'
import { allIn, mostAtOnce, type Remote } from './remote.ts'

// Single steps: one file or symlink gets another name, or goes.

interface Step {
  readonly from: VirtualPath
  readonly entry: Entry
  readonly to: VirtualPath
  readonly precondition: Precondition
  readonly signal?: Cancellation | undefined
  readonly metered?: Metered | undefined
}

/** A file is under its new name before it loses the old one. */
export async function moveFile(remote: Remote, step: Step): Promise<void> {
  const { files } = remote
  const { from, to, entry, precondition } = step
  if (files.renameFile !== undefined) return files.renameFile(from, to, precondition)
  await copyFile(remote, step)
  await files.removeFile(from, entry.kind === 'file' ? entry.version : undefined)
}

async function copyFile({ files }: Remote, { from, to, entry, precondition, signal, metered }: Step): Promise<void> {
  await files.copyFile(from, to, { precondition, version: entry.version, signal, progress: metered?.grown })
}

/** By the server itself, where it can. Of a symlink only the link. */
export async function bringFile(remote: Remote, kind: TransferKind, step: Step): Promise<void> {
  if (kind === 'move') await moveFile(remote, step)
  else await copyFile(remote, step)
}

/** Compared only where nothing else tells them apart. */
export async function haveSameBytes(
  { files }: Remote,
  [one, first]: readonly [VirtualPath, Entry],
  [two, second]: readonly [VirtualPath, Entry],
  signal?: Cancellation,
): Promise<boolean> {
  if (first.size !== second.size) return false
  const told = files.haveSameBytes?.(first, second)
  if (told !== undefined) return told
  const contents = [contentOf(files, one, first), contentOf(files, two, second)] as const
  for (let at = 0; at < first.size; at += pieceSize) {
    signal?.throwIfAborted()
    const [here, there] = await Promise.all(contents.map((content) => content.slice(at, at + pieceSize).arrayBuffer()))
    if (here === undefined || there === undefined || !Buffer.from(here).equals(Buffer.from(there))) return false
  }
  return true
}

const pieceSize = 4 << 20

interface Removal {
  readonly signal?: Cancellation | undefined
  readonly gone?: ((path: VirtualPath, entry: Entry) => void) | undefined
}

/** Everything below a folder and then itself; files go before the folders that hold them. */
export async function removeTree(remote: Remote, folder: VirtualPath, removal: Removal = {}): Promise<void> {
  const folders = [folder]
  const group = taskGroup(mostAtOnce)
  try {
    for await (const page of filesBelow(remote, folder, folders, removal.signal)) {
      removal.signal?.throwIfAborted()
      await removePage(remote, page, group, removal)
    }
  } finally {
    await group.wait()
  }
  removal.signal?.throwIfAborted()
  // Deepest first: a path is longer than those above it.
  for (const each of folders.sort((one, two) => two.length - one.length)) await remote.files.removeFolder(each)
}

type Placed = readonly [path: VirtualPath, entry: Entry]

/** In pages; folders are noted. */
async function* filesBelow(
  remote: Remote,
  top: VirtualPath,
  folders: VirtualPath[],
  signal: Cancellation | undefined,
): AsyncGenerator<Placed[]> {
  const { files } = remote
  if (files.listBelow !== undefined) {
    for await (const page of files.listBelow(top, signal)) {
      folders.push(...page.filter(({ entry }) => entry.kind === 'folder').map(({ path }) => path))
      yield page.filter(({ entry }) => entry.kind !== 'folder').map(({ path, entry }) => [path, entry])
    }
    return
  }
  const waiting = [top]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const found: Placed[] = []
    // Read to its end first: names that go while a folder is read make some servers leave out others.
    for (const entry of await allIn(remote, next)) {
      const path = childOf(next, entry)
      if (entry.kind !== 'folder') found.push([path, entry])
      else {
        folders.push(path)
        waiting.push(path)
      }
    }
    yield found
  }
}

async function removePage(
  { files }: Remote,
  page: readonly Placed[],
  group: ReturnType<typeof taskGroup>,
  { signal, gone }: Removal,
): Promise<void> {
  if (files.removeFiles !== undefined) {
    await files.removeFiles(page.map(([path]) => path))
    for (const [path, entry] of page) gone?.(path, entry)
    return
  }
  for (const [path, entry] of page)
    await group.start(async () => {
      signal?.throwIfAborted()
      await files.removeFile(path)
      gone?.(path, entry)
    })
}

/** False where something is in it by now. */
export async function removeIfEmpty({ files }: Remote, folder: VirtualPath): Promise<boolean> {
  try {
    await files.removeFolder(folder)
    return true
  } catch (error) {
    if (isFailure(error, 'already-exists')) return false
    throw error
  }
}

export const taken = (): Failure => new Failure('already-exists', 'This name is taken')
