import { posix } from 'node:path'
import { taskGroup } from '../../concurrency/task-group.ts'
import { codeOf } from '../linux/errno.ts'
import { type FolderItem, type Kernel, type Name, O, type Stat } from '../linux/kernel.ts'
import { isFile, isFolder, isLink } from '../linux/modes.ts'
import { choiceFor, leavesAlike } from '../taken.ts'
import type { TakenRule } from '../transfer-options.ts'
import { haveSameBytes, looksLike } from './comparing.ts'
import { filesAtOnce, finish, requireCopyable, staysOut } from './copying.ts'
import { dropName } from './displace.ts'
import { entryOf } from './entry.ts'
import { type FolderStack, folderStackFrom } from './folder-stack.ts'
import { openUp, removeTree } from './removing.ts'
import { isSettled, type StagedFiles, stageEntry } from './staged-files.ts'
import { isSame, type NameAt } from './target.ts'
import { exactName, walkTree } from './trees.ts'

/** A walk through a tree that brings its draft up to date. */
export interface StagedWalk extends StagedFiles {
  /** The folder that the draft will be merged with, and the rule for that. */
  readonly merge?: { readonly into: NameAt; readonly rule: TakenRule } | undefined
  /** The last walk before the source of a move goes: contents of files that are at the target already are compared. */
  readonly isLast: boolean
  /** Hears of what is not taken along by a move. */
  stays(stat: Stat): void
}

interface Level {
  readonly name: Name
  /** Where it lies in the tree. */
  readonly inside: string
  isReserved?: ((name: string) => boolean) | undefined
  /** The names that belong into the folder of the draft; undefined where that is new and holds no others. */
  kept?: Set<string>
  /** Is there such a folder at the target? */
  readonly isMerged: boolean
  readonly above?: Level
}

/** Copies what is missing in the draft of a folder or is of another version, and removes what the source has no more. */
export async function stageFolder(walk: StagedWalk, from: NameAt, to: NameAt): Promise<void> {
  const { task, merge } = walk
  const { kernel, ownFiles } = task
  const copies = folderStackFrom(kernel, to.folder)
  const targets = merge === undefined ? undefined : folderStackFrom(kernel, merge.into.folder)
  const files = taskGroup(filesAtOnce)
  try {
    await walkTree<Level>(
      kernel,
      from,
      { name: to.name, inside: '', isMerged: merge !== undefined },
      {
        entered(folder, level) {
          const stat = kernel.statOpen(folder)
          level.isReserved = ownFiles.namesIn(stat)
          enterCopy(kernel, copies, level, stat)
          if (level.isMerged) targets?.enter(level.inside === '' ? (merge?.into.name ?? level.name) : level.name)
        },
        file(folder, item, level) {
          task.signal?.throwIfAborted()
          if (staysOut(task, item, level.isReserved)) return undefined
          task.copied?.(item.stat)
          const name = exactName(item)
          const path = level.inside === '' ? item.name : `${level.inside}/${item.name}`
          const ends = { from: { folder, name }, to: { folder: copies.fd, name } }
          const target = level.isMerged && targets !== undefined ? { folder: targets.fd, name } : undefined
          level.kept?.add(keyOf(name))
          // Most of them, the second time: without a promise for each.
          const there = level.kept === undefined ? undefined : kernel.look(copies.fd, name)
          if (target === undefined && there !== undefined && isSettled(walk, item.stat, there)) {
            task.meter?.file(path).end(item.stat.size)
            return undefined
          }
          return files.start(() => stageOne(walk, ends, target, item.stat, path, level))
        },
        below(_, item, level) {
          if (staysOut(task, item, level.isReserved)) return undefined
          const name = exactName(item)
          const inside = posix.join(level.inside, item.name)
          const there = level.isMerged && targets !== undefined ? kernel.look(targets.fd, name) : undefined
          if (there !== undefined && !isFolder(there.mode) && isSkipped(walk, item, there, inside)) return undefined
          task.copied?.(item.stat)
          level.kept?.add(keyOf(name))
          return { name, inside, isMerged: there !== undefined && isFolder(there.mode), above: level }
        },
        vanished: ({ name, above }) => void above?.kept?.delete(keyOf(name)),
        read: () => files.wait(),
        async done(folder, level) {
          if (level.kept !== undefined) await removeOthers(kernel, copies.fd, level.kept)
          await finish(task, folder, copies.fd)
          copies.leave()
          if (level.isMerged) targets?.leave()
        },
        ended: () => files.wait().catch(() => {}),
      },
      task.mostLevels,
    )
  } finally {
    copies.close()
    targets?.close()
  }
}

/** A folder of an earlier walk may be closed to us by now, because its original is. */
function enterCopy(kernel: Kernel, copies: FolderStack, level: Level, { mode }: Stat): void {
  const { name } = level
  let there = kernel.look(copies.fd, name)
  if (there !== undefined && !isFolder(there.mode)) {
    dropName(kernel, { folder: copies.fd, name })
    there = undefined
  }
  if (there === undefined) kernel.makeFolder(copies.fd, name, 0o700 | (mode & 0o777))
  else {
    level.kept = new Set()
    const closed = kernel.open(copies.fd, name, O.RDONLY | O.DIRECTORY | O.NOFOLLOW)
    openUp(kernel, closed)
    kernel.close(closed)
  }
  copies.enter(name)
}

interface Ends {
  readonly from: NameAt
  readonly to: NameAt
}

async function stageOne(
  walk: StagedWalk,
  { from, to }: Ends,
  target: NameAt | undefined,
  stat: Stat,
  path: string,
  { kept }: Level,
): Promise<void> {
  const { task } = walk
  const { kernel } = task
  const metered = task.meter?.file(path)
  if (!isFile(stat.mode) && !isLink(stat.mode)) return requireCopyable(task)
  if (target !== undefined && (await isLeftAlone(walk, from, target, stat, path))) kept?.delete(keyOf(to.name))
  else
    try {
      await stageEntry(
        walk,
        from,
        to,
        stat,
        kept === undefined ? undefined : kernel.look(to.folder, to.name),
        path,
        metered,
      )
    } catch (error) {
      // Gone, or a link by now, since its folder was read. The copy of an earlier walk goes, too.
      if (!['ENOENT', 'ELOOP'].includes(codeOf(error) ?? '') || isSame(kernel.look(from.folder, from.name), stat))
        throw error
      kept?.delete(keyOf(to.name))
    }
  metered?.end(stat.size)
}

/**
 * Is the same file at the target already, or shall the one stay that is? Bytes are compared where one that only looks the
 * same would be replaced, kept beside, or asked about; of a move once, before its source goes.
 */
async function isLeftAlone(walk: StagedWalk, from: NameAt, target: NameAt, stat: Stat, path: string): Promise<boolean> {
  const { kernel, isMove, signal } = walk.task
  const there = kernel.look(target.folder, target.name)
  if (there === undefined) return false
  if (isFile(stat.mode) && isFile(there.mode) && looksLike(stat, there)) {
    const isTrusted = isMove ? !walk.isLast : walk.merge === undefined || leavesAlike(walk.merge.rule, path)
    if (isTrusted || (await haveSameBytes(kernel, from, target, signal))) return true
  }
  return isSkipped(walk, { name: path, stat }, there, path)
}

/** What is skipped stays in the source of a move. */
function isSkipped(walk: StagedWalk, { stat }: Pick<FolderItem, 'name' | 'stat'>, there: Stat, path: string): boolean {
  if (walk.merge === undefined) return false
  const isLeft = choiceFor(walk.merge.rule, path, entryOf('', stat), entryOf('', there)) === 'skip'
  if (isLeft) walk.stays(stat)
  return isLeft
}

/** Names are bytes; as text, those that are no UTF-8 could be mistaken for each other. */
const keyOf = (name: Name): string => (typeof name === 'string' ? name : `\0${Buffer.from(name).toString('latin1')}`)

async function removeOthers(kernel: Kernel, folder: number, kept: ReadonlySet<string>): Promise<void> {
  const others: Name[] = []
  for (let items = kernel.readFolder(folder, true); items !== null; items = kernel.readFolder(folder, true))
    others.push(...items.map(exactName).filter((name) => !kept.has(keyOf(name))))
  for (const name of others) await removeTree(kernel, folder, name, { force: true })
}
