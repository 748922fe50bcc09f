import { nameOf } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { prefetch } from '../concurrency/prefetch.ts'
import { parentOf, type VirtualPath } from '../storage/path.ts'
import type { WholeFile } from '../storage/port.ts'
import { isUnavailable, type Member } from './members.ts'

/** Files up to this size are read as a whole, several with one look at their folder. */
export const smallSize = 262_144

/** So many bytes of small files are read at once, and so many groups of them ahead of the one in use. */
const groupSize = 1_048_576
const groupsAhead = 2
/** What cannot be read together with others, such as symlinks, is opened: so many at a time. */
const openedAtOnce = 8

/** A member as a format packs it. */
interface Packed {
  readonly member: Member
  /** Is it a small file whose content is wanted? */
  readonly isRead: boolean
}

interface WithFile<Item, File> {
  readonly item: Item
  /** Undefined where it is not to be read. */
  file: File | undefined
}

/** Members that follow each other, and the small files among them that lie in one folder. */
interface Group<Item> {
  readonly items: Item[]
  readonly small: Item[]
  folder: VirtualPath | undefined
  size: number
}

/**
 * Reads the small files of members before their turn comes. A message to a thread for each would take longer than all
 * other work, so many are read with one; `open` is for those that do not come that way.
 */
export async function* withFiles<Item extends Packed, Opened>(
  scope: Scope,
  runs: AsyncIterable<readonly Item[]>,
  open: (item: Item) => Promise<Opened>,
): AsyncGenerator<readonly WithFile<Item, WholeFile | Opened>[]> {
  async function read({ items, small, folder }: Group<Item>) {
    const together = folder === undefined ? [] : await readTogether(scope, folder, small)
    const withFile: WithFile<Item, WholeFile | Opened>[] = []
    let index = 0
    for (const item of items) withFile.push({ item, file: item === small[index] ? together[index++] : undefined })
    const others = withFile.filter(({ item, file }) => item.isRead && file === undefined)
    for await (const { item: other, result } of prefetch(others, ({ item }) => open(item), openedAtOnce))
      other.file = result
    return withFile
  }
  for await (const { result } of prefetch(groupsOf(runs), read, groupsAhead + 1)) yield result
}

async function* groupsOf<Item extends Packed>(runs: AsyncIterable<readonly Item[]>): AsyncGenerator<Group<Item>> {
  for await (const run of runs) {
    let group = emptyGroup<Item>()
    for (const item of run) {
      const { path, entry } = item.member
      // A symlink leads to another folder.
      if (item.isRead && !entry.isLink) {
        const folder = parentOf(path)
        const fits = (group.folder ?? folder) === folder && group.size + entry.size <= groupSize
        if (!fits) {
          yield group
          group = emptyGroup()
        }
        group.folder = folder
        group.size += entry.size
        group.small.push(item)
      }
      group.items.push(item)
    }
    yield group
  }
}

const emptyGroup = <Item>(): Group<Item> => ({ items: [], small: [], folder: undefined, size: 0 })

/** As far as they come: why the others do not is told when they are opened. */
async function readTogether(
  scope: Scope,
  folder: VirtualPath,
  wanted: readonly Packed[],
): Promise<(WholeFile | undefined)[]> {
  const files: (WholeFile | undefined)[] = []
  while (files.length < wanted.length) {
    const rest = wanted.slice(files.length)
    const room = rest.reduce((size, { member }) => size + member.entry.size, 0)
    const names = rest.map(({ member }) => nameOf(member.path))
    try {
      files.push(...(await scope.readFiles(folder, names, room)))
    } catch (error) {
      if (isUnavailable(error)) break
      throw error
    }
  }
  return files
}
