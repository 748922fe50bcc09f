import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { Entry } from '../storage/entry.ts'
import { inFolder, type VirtualPath } from '../storage/path.ts'
import type { Named, Storage } from '../storage/port.ts'
import type { Visibility } from './rules.ts'

/** A name in a folder; a symlink as what it leads to, with all facts, because that had to be looked at. */
export type Outlined = Named | Entry

export interface OutlineParts {
  readonly storage: Pick<Storage, 'names' | 'describe'>
  readonly visibility: Visibility
  /** A link as what it leads to; nothing where that is hidden. */
  followed(link: Entry, path: VirtualPath): Promise<Entry | undefined>
}

/** A folder as it was asked for, and the same place without links. */
interface Place {
  readonly folder: VirtualPath
  readonly real: VirtualPath
}

/** After so many names other requests may have their turn. */
const slice = 1000

/** The names in a folder that can be seen. */
export async function outlineOf(
  parts: OutlineParts,
  { folder, real }: Place,
  signal?: Cancellation,
): Promise<Outlined[]> {
  const { storage, visibility } = parts
  const isVisible = visibility.inFolder(folder)
  const isVisibleThere = real === folder ? isVisible : visibility.inFolder(real)
  const found = await storage.names(real, signal)
  const pause = timeSlices(signal)
  const seen: Named[] = []
  let linkCount = 0
  for (let at = 0; at < found.length; at += slice) {
    for (const named of found.slice(at, at + slice)) {
      if (!isVisible(named.name) || !isVisibleThere(named.name)) continue
      seen.push(named)
      if (named.kind === 'link') linkCount += 1
    }
    const rest = pause()
    if (rest !== undefined) await rest
  }
  if (linkCount === 0) return seen
  const links = await describeNames(
    parts,
    real,
    seen.filter(({ kind }) => kind === 'link'),
    signal,
  )
  const shown = new Map(links.map((entry) => [keyOf(entry), entry]))
  return seen.flatMap((named) => (named.kind === 'link' ? (shown.get(keyOf(named)) ?? []) : named))
}

/** The entries of names of an outline, in their order. */
export async function describeOutlined(
  parts: OutlineParts,
  real: VirtualPath,
  outlined: readonly Outlined[],
  signal?: Cancellation,
): Promise<Entry[]> {
  const names = outlined.filter((item) => !(item instanceof Entry))
  const entries = await describeNames(parts, real, names, signal)
  if (names.length === outlined.length) return entries
  const described = new Map(entries.map((entry) => [keyOf(entry), entry]))
  return outlined.flatMap((item) => (item instanceof Entry ? item : (described.get(keyOf(item)) ?? [])))
}

/** What has become a link since its name was read is followed, too. */
async function describeNames(
  { storage, followed }: OutlineParts,
  real: VirtualPath,
  names: readonly Named[],
  signal?: Cancellation,
): Promise<Entry[]> {
  const entries = await storage.describe(real, names, signal)
  if (!entries.some(({ isLink }) => isLink)) return entries
  const shown: Entry[] = []
  const pause = timeSlices(signal)
  for (const entry of entries) {
    const target = entry.isLink ? await followed(entry, inFolder(real, keyOf(entry))) : entry
    if (target !== undefined) shown.push(target)
    const rest = pause()
    if (rest !== undefined) await rest
  }
  return shown
}

/** Names that are shown alike are told apart by the exact ones. */
const keyOf = ({ exact, name }: Named): string => exact ?? name
