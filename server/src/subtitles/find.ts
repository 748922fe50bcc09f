import { extensionOf } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { isSubtitle, isSubtitleFolder } from '../entries/subtitle-names.ts'
import { ignoring } from '../failure.ts'
import { inFolder, parentOf, type VirtualPath } from '../storage/path.ts'

/** More than any film has; bounds the answer for a folder of thousands of films and subtitles. */
const mostFound = 100

interface FolderSubtitle {
  path: string
  /** The video it belongs to, where it lies in a folder of that name. */
  videoName: string | null
}

interface Named {
  readonly name: string
  readonly kind: string
}

/** Finds the subtitles of every video of one folder; the folder's names are gone through once, not once a video. */
export async function subtitleFinder(
  scope: Scope,
  folder: VirtualPath,
  entries: readonly Named[],
  signal: Cancellation,
): Promise<(video: string) => string[]> {
  const beside: string[] = []
  const inFolders: FolderSubtitle[] = []
  const pause = timeSlices(signal)
  for (const { kind, name } of entries) {
    const rest = pause()
    if (rest !== undefined) await rest
    if (kind === 'file' && isSubtitle(name)) beside.push(name)
    if (kind === 'folder' && isSubtitleFolder(name))
      inFolders.push(...(await subtitlesIn(scope, inFolder(folder, name), signal)))
  }
  beside.sort()

  return (video) => {
    const base = video.slice(0, video.length - extensionOf(video).length)
    const ofFolder = inFolders.filter(({ videoName }) => videoName?.startsWith(base) ?? true).map(({ path }) => path)
    const ofName = startingWith(beside, base).map((name) => inFolder(folder, name))
    return [...ofFolder, ...ofName].sort()
  }
}

export async function subtitlesOf(
  scope: Scope,
  video: VirtualPath,
  name: string,
  signal: Cancellation,
): Promise<string[]> {
  const folder = parentOf(video)
  // A film is listed also where its subtitles cannot be read.
  const listing = await scope.list(folder, signal).catch(unreadable)
  return listing === undefined ? [] : (await subtitleFinder(scope, folder, listing.entries, signal))(name)
}

const unreadable = ignoring('forbidden', 'not-found')

/** All subtitles of a 'Subs' folder, and those of its own folders, which count only for a video of that name. */
async function subtitlesIn(scope: Scope, folder: VirtualPath, signal: Cancellation) {
  const found: FolderSubtitle[] = []
  const add = async (inside: VirtualPath, videoName: string | null): Promise<void> => {
    const folders: string[] = []
    for (const { kind, name } of (await scope.list(inside, signal)).entries) {
      if (found.length >= mostFound) return
      if (kind === 'file' && isSubtitle(name)) found.push({ path: inFolder(inside, name), videoName })
      else if (kind === 'folder' && videoName === null) folders.push(name)
    }
    for (const name of folders) await add(inFolder(inside, name), name)
  }
  await add(folder, null).catch(unreadable)
  return found
}

/** The part of a sorted list that begins with a text, found by binary search. */
function startingWith(sorted: readonly string[], start: string): string[] {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') < start) low = middle + 1
    else high = middle
  }
  const found: string[] = []
  for (let index = low; found.length < mostFound && sorted[index]?.startsWith(start); index += 1)
    found.push(sorted[index] ?? '')
  return found
}
