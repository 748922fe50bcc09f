import type { Cancellation } from '../../concurrency/cancellation.ts'
import { prefetch } from '../../concurrency/prefetch.ts'
import { Failure } from '../../failure.ts'
import type { Entry } from '../entry.ts'
import { inFolder, rootPath, type VirtualPath } from '../path.ts'
import type { EntryBelow } from '../remote/files.ts'
import { fileEntry, folderEntry, type TimeMemory, timeIn, timeOf } from './entries.ts'
import { isName, type Names } from './names.ts'
import type { ListedObject, Objects, Page, PageOptions } from './objects.ts'

export interface ListingParts {
  readonly objects: Objects
  readonly names: Names
  readonly times: TimeMemory
  /** Keys that no path leads to. */
  readonly unreachable: { add(key: string): void }
  /** Names in a page; tests have fewer. */
  readonly pageSize: number
  /** The times of so many files of a folder are looked up. */
  readonly mostTimes: number
  /** A listing of more names, or of so many pages without one, is given up: a server may make up names for ever. */
  readonly mostNames: number
  readonly mostEmptyPages: number
}

/** Times are looked up so many at once. */
const lookedUpAtOnce = 32

/**
 * The entries of a folder, page by page. Where a key is a file and the beginning of others, an empty file gives way to the
 * folder, as some programs mark folders so; a file with bytes hides the folder.
 */
export async function* listFolder(
  parts: ListingParts,
  folder: VirtualPath,
  signal?: Cancellation,
): AsyncGenerator<readonly Entry[]> {
  const { names, unreachable } = parts
  const prefix = names.prefixOf(folder)
  const clashes = clashWatch()
  let isThere = folder === rootPath
  let lookedUp = 0
  for await (const page of pages(parts, prefix, { isFlat: false })) {
    signal?.throwIfAborted()
    isThere ||= page.objects.length > 0 || page.prefixes.length > 0
    const files: ListedObject[] = []
    for (const object of page.objects) {
      const name = object.key.slice(prefix.length)
      if (isName(name)) files.push(object)
      else if (name !== '') unreachable.add(object.key)
    }
    const shown = clashes.settle(files, page.prefixes, page)
    const folders: Entry[] = []
    for (const below of page.prefixes) {
      if (below === names.hidden) continue
      const name = below.slice(prefix.length, -1)
      if (!isName(name) || clashes.isHidden(below)) unreachable.add(below)
      else folders.push(folderEntry(below, name))
    }
    const exact = shown.slice(0, Math.max(0, parts.mostTimes - lookedUp))
    lookedUp += exact.length
    const entries = [
      ...folders,
      ...(await withTimes(parts, exact)),
      ...shown.slice(exact.length).map((object) => fileEntry(object.key, object, timeOf(object.stored))),
    ]
    if (entries.length > 0) yield entries
  }
  if (!isThere) throw new Failure('not-found', 'There is no such file or folder')
}

/**
 * Everything below a folder, in the order of the keys: a folder comes before what it holds. Files have the times at which
 * they were stored, unless another one is remembered.
 */
export async function* listBelow(
  parts: ListingParts,
  folder: VirtualPath,
  signal?: Cancellation,
): AsyncGenerator<readonly EntryBelow[]> {
  const { names, unreachable, times } = parts
  const prefix = names.prefixOf(folder)
  const clashes = clashWatch()
  /** The folders that the last key lies in, which were told. */
  let open: string[] = []
  for await (const page of pages(parts, prefix, { isFlat: true })) {
    signal?.throwIfAborted()
    const found: EntryBelow[] = []
    const files: ListedObject[] = []
    const folders: string[] = []
    for (const object of page.objects) {
      if (object.key.startsWith(names.hidden)) continue
      const segments = object.key.slice(prefix.length).split('/')
      const name = segments.pop() ?? ''
      if (!segments.every(isName) || !(name === '' || isName(name))) {
        unreachable.add(object.key)
        continue
      }
      const inside = segments.map((_, at) => `${prefix}${segments.slice(0, at + 1).join('/')}/`)
      folders.push(...inside.filter((below) => !open.includes(below)))
      open = inside
      if (name !== '') files.push(object)
    }
    const shown = clashes.settle(files, folders, page)
    for (const below of folders)
      if (clashes.isHidden(below)) unreachable.add(below)
      else found.push({ path: pathOf(folder, prefix, below.slice(0, -1)), entry: folderEntry(below, lastOf(below)) })
    for (const object of shown)
      if (!clashes.isHidden(object.key))
        found.push({
          path: pathOf(folder, prefix, object.key),
          entry: fileEntry(object.key, object, times.get(object) ?? timeOf(object.stored)),
        })
    if (found.length > 0) yield found
  }
}

const pathOf = (folder: VirtualPath, prefix: string, key: string): VirtualPath =>
  inFolder(folder, key.slice(prefix.length))

const lastOf = (prefix: string): string => prefix.slice(prefix.lastIndexOf('/', prefix.length - 2) + 1, -1)

/** The next page is asked for while this one is used. */
async function* pages(parts: ListingParts, prefix: string, options: PageOptions): AsyncGenerator<Page> {
  const ask = (token: string | undefined): Promise<Page> => {
    const page = parts.objects.page(prefix, { ...options, most: parts.pageSize, token })
    // Thrown where the page is taken; until then it must not count as unhandled.
    page.catch(() => {})
    return page
  }
  let token: string | undefined
  let [count, empty] = [0, 0]
  let next: Promise<Page> | undefined = ask(token)
  while (next !== undefined) {
    const page: Page = await next
    const found = page.objects.length + page.prefixes.length
    count += found
    empty = found === 0 ? empty + 1 : 0
    if (count > parts.mostNames || empty > parts.mostEmptyPages)
      throw new Failure(
        'unavailable',
        `The listing of the object storage does not end: it was left after ${count} names`,
      )
    // Else it would never end.
    if (page.token !== undefined && page.token === token)
      throw new Failure('unavailable', 'The object storage sends the same part of a listing again and again')
    token = page.token
    next = token === undefined ? undefined : ask(token)
    yield page
  }
}

/** Listings do not tell the times that are stored with files. */
async function withTimes(parts: ListingParts, files: readonly ListedObject[]): Promise<Entry[]> {
  const { objects, times } = parts
  const entries: Entry[] = []
  const unknown: ListedObject[] = []
  for (const object of files) {
    const time = times.get(object)
    if (time === undefined) unknown.push(object)
    else entries.push(fileEntry(object.key, object, time))
  }
  for await (const { item, result } of prefetch(unknown, ({ key }) => objects.head(key), lookedUpAtOnce)) {
    // One that was replaced or removed since is told as it is now, or not at all.
    if (result === undefined) continue
    times.set(item.key, result)
    entries.push(fileEntry(item.key, result, timeIn(result)))
  }
  return entries
}

/** Finds keys that are files and beginnings of other keys: a file comes before what begins with its name and a slash. */
function clashWatch() {
  /** Files that a folder of the same name may follow on the next page. Of these, empty ones are not shown yet. */
  let carried: ListedObject[] = []
  const hiding: string[] = []
  return {
    /** Tells which files are shown now. */
    settle(files: readonly ListedObject[], folders: readonly string[], page: Page): ListedObject[] {
      const below = new Set(folders)
      const before = new Set(carried)
      const shown: ListedObject[] = []
      carried = []
      for (const file of [...before, ...files]) {
        const isClash = below.has(`${file.key}/`)
        const mayFollow = !isClash && page.token !== undefined && mayBeFollowed(file, page)
        if (mayFollow) carried.push(file)
        if (file.size === 0) {
          if (!isClash && !mayFollow) shown.push(file)
        } else {
          if (isClash) hiding.push(`${file.key}/`)
          if (!before.has(file)) shown.push(file)
        }
      }
      return shown
    },
    isHidden: (key: string): boolean => hiding.some((folder) => key.startsWith(folder)),
  }
}

/** Does the page end between a file and what begins with its name and a slash? */
const mayBeFollowed = ({ key }: ListedObject, { objects, prefixes }: Page): boolean =>
  [objects.at(-1)?.key, prefixes.at(-1)].some(
    (last) => last?.startsWith(key) === true && (last.length === key.length || (last[key.length] ?? '') < '/'),
  )
