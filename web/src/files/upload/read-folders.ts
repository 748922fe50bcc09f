import { addActivity } from '../../activity/activities.ts'
import { t } from '../../i18n/i18n.ts'
import { isAbort } from '../../server/client.ts'
import { createStore } from '../../state/store.ts'
import { aborted } from '../../state/waiting.ts'
import { beginWork } from '../../state/work.ts'
import { announce } from '../../ui/live-status.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { isDirectory, type Picked, type PickedFile, type UnreadFolder } from './picked-files.ts'

export interface ReadFiles {
  readonly picked: Picked[]
  /** Paths of what could not be read. */
  readonly unreadable: string[]
}

/** What is read faster is not shown, in milliseconds. */
const shownAfter = 300

/** Reads dropped folders. When that takes long, the tray says so, and it can be stopped: then it rejects as aborted. */
export async function readFolders(
  chosen: readonly (PickedFile | UnreadFolder)[],
  session: AbortSignal,
): Promise<ReadFiles> {
  const stopping = new AbortController()
  const over = new AbortController()
  const signal = AbortSignal.any([stopping.signal, session])
  const files: ReadFiles = { picked: [], unreadable: [] }
  const statusNow = () => ({
    title: t('upload.reading'),
    text: t('upload.doneCount', { count: files.picked.length }),
    progress: null,
    state: 'running' as const,
  })
  const status = createStore(statusNow())
  let takeOut = () => {}
  const cancel = () => {
    stopping.abort()
    toastSuccess(t('upload.nothingSent'))
  }
  const timers = [
    setTimeout(() => {
      announce(t('upload.reading'))
      takeOut = addActivity({ kind: 'reading', status, cancel })
    }, shownAfter),
    setInterval(() => status.set(statusNow()), shownAfter),
  ]
  const endWork = beginWork(() => t('upload.reading'))
  try {
    // A folder that does not answer does not keep the person from stopping.
    await Promise.race([walkAll(chosen, files, signal), aborted(signal, over.signal)])
    return files
  } finally {
    over.abort()
    for (const timer of timers) clearInterval(timer)
    takeOut()
    endWork()
  }
}

async function walkAll(
  chosen: readonly (PickedFile | UnreadFolder)[],
  files: ReadFiles,
  signal: AbortSignal,
): Promise<void> {
  for (const one of chosen)
    if (one.kind === 'file') files.picked.push(one)
    else await walk(one.entry, '', one.handle, files, signal)
}

/** What cannot be read is noted, and the rest goes on. */
async function walk(
  entry: FileSystemEntry,
  above: string,
  handle: Promise<FileSystemHandle | null>,
  files: ReadFiles,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const path = above + entry.name
  try {
    if (isFile(entry)) files.picked.push({ kind: 'file', path, file: await fileOf(entry), handle })
    else if (isDirectory(entry)) {
      const children = await childrenOf(entry)
      // Folders appear with their files; only an empty one has to be sent by itself.
      if (children.length === 0) files.picked.push({ kind: 'folder', path })
      for (const child of children) await walk(child, `${path}/`, handle, files, signal)
    }
  } catch (error) {
    if (isAbort(error) && signal.aborted) throw error
    files.unreadable.push(path)
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

/** Browsers hand out a hundred at a time; an empty answer is the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const children: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return children
    for (const entry of some) children.push(entry)
  }
}
