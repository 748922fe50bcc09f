import { join } from '@filestead/contract'
import { cache } from '../../api/cache.ts'
import { isFolder, readRecursive, resourceQuery } from '../../api/resources.ts'
import { t } from '../../i18n/i18n.ts'
import { askAboutConflicts } from '../../prompts/conflicts/ask-about-conflicts.ts'
import { toastError } from '../../ui/toasts.ts'
import { ownPage } from './kept.ts'
import type { Dropped, Picked } from './picked.ts'
import { type Existing, findConflicts, planUpload, topFolders } from './plan.ts'
import { addUploads } from './uploads.ts'

/** Asks about names that are taken, then sends. Nothing is sent before the person has decided. */
export async function beginUpload({ picked, unreadable }: Dropped, into: string, session: AbortSignal): Promise<void> {
  session.throwIfAborted()
  const [first] = unreadable
  const count = unreadable.length
  if (count === 1) toastError(t('upload.unreadableOne', { name: first }))
  else if (count > 1) toastError(t('upload.someUnreadable', { count, name: first }))
  // Where it cannot be found out, the server still refuses to overwrite anything.
  const existing = await readExisting(picked, into).catch((): Existing => new Map())
  session.throwIfAborted()
  const conflicts = findConflicts(picked, existing)
  const decisions = conflicts.length === 0 ? [] : await askAboutConflicts(conflicts, 'upload')
  session.throwIfAborted()
  if (decisions === null) return
  const { jobs, skipped } = planUpload(picked, into, conflicts, decisions, nextId)
  addUploads(jobs, skipped)
}

/** What is at the destination already; below folders only where one of the same name comes. */
async function readExisting(picked: readonly Picked[], into: string): Promise<Existing> {
  const folder = await cache.fetchQuery(resourceQuery(into))
  const existing = new Map<string, { size: number; modified: string; isDir: boolean }>()
  if (!isFolder(folder)) return existing
  for (const entry of folder.items) existing.set(entry.name, entry)
  for (const name of topFolders(picked)) {
    if (existing.get(name)?.isDir !== true) continue
    for (const entry of await readRecursive(join(into, name)))
      existing.set(entry.path.slice(into === '/' ? 1 : into.length + 1), entry)
  }
  return existing
}

/** Unlike any that another page gives. */
let lastId = 0

function nextId(): string {
  lastId += 1
  return `${ownPage}-${lastId}`
}
