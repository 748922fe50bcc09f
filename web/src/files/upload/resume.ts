import { parentOf, segmentsOf } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'
import { currentSession } from '../../server/session.ts'
import { sessionSignal, sessionStore } from '../../state/session-scope.ts'
import { askedAtSignOut } from '../../state/work.ts'
import { uploads } from './engine.ts'
import { hasEnded, markPageOpen } from './pages.ts'
import { type KeptUpload, keptUploads, readSources, type Source } from './persistence.ts'
import type { FileJob } from './queue.ts'
import { withdrawFile } from './transport.ts'

/** An upload that a page left behind when it was closed or reloaded. */
export interface Interrupted extends KeptUpload {
  /** Null where the person has to show the file again. */
  source: Source | null
}

const left = sessionStore<readonly Interrupted[]>([])

askedAtSignOut(() => (left.get().length === 0 ? null : t('upload.interrupted', { count: left.get().length })))

export const interruptedUploads = left

/** Looks for what pages that are gone have left behind. */
export async function findInterrupted(): Promise<void> {
  markPageOpen()
  const userId = currentSession()?.user.id
  if (userId === undefined) return left.set([])
  const session = sessionSignal()
  const kept = await keptUploads()
    .read(userId)
    .catch(() => [])
  const pages = new Map<string, boolean>()
  for (const { page } of kept) if (!pages.has(page)) pages.set(page, await hasEnded(page))
  const over = kept.filter(({ page, id }) => pages.get(page) === true && uploads().find(id) === undefined)
  const sources =
    over.length === 0 ? new Map<string, Source>() : await readSources().catch(() => new Map<string, Source>())
  if (session.aborted) return
  left.set(over.map((one) => ({ ...one, source: sources.get(one.id) ?? sources.get(one.handleId ?? '') ?? null })))
}

/** Resumes the uploads whose files can be read. The others stay listed until their files are chosen again. */
export async function continueInterrupted(): Promise<void> {
  const session = sessionSignal()
  const found = await Promise.all(left.get().map(async (one) => ({ one, file: await fileOf(one) })))
  if (!session.aborted) resume(found)
}

/** Goes on with those that are among these files: same name, same size, same time. */
export function continueWith(files: readonly File[]): void {
  const byFacts = new Map(files.map((file) => [factsOf(file.name, file.size, file.lastModified), file]))
  resume(left.get().map((one) => ({ one, file: byFacts.get(factsOf(one.name, one.size, one.modified)) ?? null })))
}

export async function discardInterrupted(): Promise<void> {
  const all = left.get()
  left.set([])
  const [kept, session] = [keptUploads(), sessionSignal()]
  for (const { id } of all) kept.forget(id)
  const begun = all.filter(({ url }) => url !== null)
  await Promise.all(begun.map(({ path }) => withdrawFile(path, session).catch(() => {})))
}

/** Did it come out of a folder? Then the folder is the easier thing to show again. */
export const isNested = ({ path, into }: KeptUpload): boolean => parentOf(path) !== into

function resume(found: readonly { one: Interrupted; file: File | null }[]): void {
  const jobs = found.flatMap(({ one, file }) => (file === null ? [] : toJob(one, file)))
  left.set(found.filter(({ file }) => file === null).map(({ one }) => ({ ...one, source: null })))
  keptUploads().adopt(found.filter(({ file }) => file !== null).map(({ one: { source: _, ...kept } }) => kept))
  uploads().add(jobs)
}

const toJob = ({ id, path, name, into, size, override, url, handleId }: Interrupted, file: File): FileJob => ({
  kind: 'file',
  id,
  path,
  name,
  into,
  size,
  override,
  url,
  file,
  handle: null,
  kept: { handleId },
})

/** The file behind what was kept, if it is still the same. */
async function fileOf({ source, path, into, size, modified }: Interrupted): Promise<File | null> {
  if (source === null) return null
  try {
    const file = source instanceof File ? source : await openHandle(source, path.slice(into === '/' ? 0 : into.length))
    const isSame = file !== null && file.size === size && file.lastModified === modified
    return isSame ? file : null
  } catch {
    return null
  }
}

interface Permitted {
  requestPermission?(wanted: { mode: 'read' }): Promise<PermissionState>
}

async function openHandle(handle: FileSystemHandle, below: string): Promise<File | null> {
  if ((await (handle as FileSystemHandle & Permitted).requestPermission?.({ mode: 'read' })) !== 'granted') return null
  if (handle instanceof FileSystemFileHandle) return handle.getFile()
  const names = segmentsOf(below).slice(1)
  const name = names.pop()
  let folder = handle as FileSystemDirectoryHandle
  for (const next of names) folder = await folder.getDirectoryHandle(next)
  return name === undefined ? null : (await folder.getFileHandle(name)).getFile()
}

const factsOf = (name: string, size: number, modified: number): string => `${size} ${modified} ${name}`
