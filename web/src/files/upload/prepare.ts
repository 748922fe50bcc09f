import { join } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'
import { mayIn } from '../../server/queries/access.ts'
import { cache } from '../../server/queries/cache.ts'
import {
  type Entry,
  entriesNamed,
  isFolder,
  newBatch,
  readRecursive,
  resourceQuery,
} from '../../server/queries/resources.ts'
import { toastError } from '../../ui/toasts.ts'
import { askAboutConflicts } from '../operations/conflicts/ask-about-conflicts.ts'
import { uploads } from './engine.ts'
import { freePaths } from './free-names.ts'
import { markPageOpen, ownPage } from './pages.ts'
import type { Picked, PickedFile, UnreadFolder } from './picked-files.ts'
import { type Existing, findConflicts, planUpload, topFolders, topNames } from './plan.ts'
import { readFolders } from './read-folders.ts'
import { listUploads } from './upload-activity.ts'

/** Reads folders, asks about names that are taken, then sends. Nothing is sent before the person has decided. */
export async function uploadChosen(
  chosen: readonly (PickedFile | UnreadFolder)[],
  into: string,
  session: AbortSignal,
): Promise<void> {
  session.throwIfAborted()
  if (!mayIn(into)) {
    toastError(t('upload.notHere'))
    return
  }
  const { picked, unreadable } = await readFolders(chosen, session)
  markPageOpen()
  listUploads()
  const [first] = unreadable
  const count = unreadable.length
  if (count === 1) toastError(t('upload.unreadableOne', { name: first }))
  else if (count > 1) toastError(t('upload.someUnreadable', { count, name: first }))
  // Where it cannot be found out, the server still refuses to overwrite anything.
  const existing = await readExisting(picked, into, session).catch((): Existing => new Map())
  session.throwIfAborted()
  const conflicts = findConflicts(picked, existing)
  const decisions = conflicts.length === 0 ? [] : await askAboutConflicts(conflicts, 'upload')
  session.throwIfAborted()
  if (decisions === null) return
  const kept = conflicts.filter((_, index) => decisions[index] === 'rename').map(({ path }) => path)
  const renamed = await freePaths(
    kept,
    picked.map(({ path }) => path),
    into,
    (folder, names) => entriesNamed(folder, names, session),
  )
  session.throwIfAborted()
  const { jobs, skipped } = planUpload(picked, into, conflicts, decisions, nextId, renamed)
  const batch = newBatch()
  uploads().add(
    jobs.map((job) => ({ ...job, batch })),
    skipped,
  )
}

/** What is at the destination already; below folders only where one of the same name comes. */
async function readExisting(picked: readonly Picked[], into: string, session: AbortSignal): Promise<Existing> {
  const existing = new Map<string, Pick<Entry, 'size' | 'modified' | 'isDir'> & Partial<Entry>>()
  for (const entry of await entriesAmong(topNames(picked), into, session)) existing.set(entry.name, entry)
  for (const name of topFolders(picked)) {
    if (existing.get(name)?.isDir !== true) continue
    for (const entry of await readRecursive(join(into, name), session))
      existing.set(entry.path.slice(into === '/' ? 1 : into.length + 1), entry)
  }
  return existing
}

/** For more names than this one listing costs less than the questions about them. */
const mostAsked = 2000

async function entriesAmong(names: readonly string[], into: string, session: AbortSignal): Promise<readonly Entry[]> {
  if (names.length <= mostAsked) return entriesNamed(into, names, session)
  const folder = await cache().fetchQuery(resourceQuery(into))
  return isFolder(folder) ? folder.items : []
}

let lastId = 0

/** Unlike any that another page gives. */
function nextId(): string {
  lastId += 1
  return `${ownPage}-${lastId}`
}
