/** Something that a person has chosen or dropped, with its place below the folder it goes to: 'trip/day 1/a.jpg'. */
export type Picked = PickedFile | { kind: 'folder'; path: string }

export interface PickedFile {
  kind: 'file'
  path: string
  file: File
  /** A way to the same file after a reload, where the browser gives one. */
  handle?: Promise<FileSystemHandle | null>
}

/** From a file field. Chosen folders come as their files, each with the path inside. */
export const fromField = (files: readonly File[]): PickedFile[] =>
  files.map((file) => ({ kind: 'file', path: file.webkitRelativePath || file.name, file }))

export interface Dropped {
  picked: Picked[]
  /** Paths of what could not be read. */
  unreadable: string[]
}

/**
 * From a drop or a paste. Must be called while the event lasts: afterwards the browser takes the items away. Only what
 * is asked for here stays readable.
 */
export function fromTransfer(items: readonly DataTransferItem[]): Promise<Dropped> {
  const roots = items
    .filter((item) => item.kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile(), handle: handleOf(item) }))
  return walkAll(roots)
}

interface Root {
  entry: FileSystemEntry | null
  file: File | null
  handle: Promise<FileSystemHandle | null>
}

async function walkAll(roots: Root[]): Promise<Dropped> {
  const dropped: Dropped = { picked: [], unreadable: [] }
  for (const { entry, file, handle } of roots) {
    if (entry?.isDirectory) await walk(entry, '', handle, dropped)
    else if (file !== null) dropped.picked.push({ kind: 'file', path: file.name, file, handle })
  }
  return dropped
}

/** What cannot be read is noted, and the rest goes on. */
async function walk(
  entry: FileSystemEntry,
  above: string,
  handle: Promise<FileSystemHandle | null>,
  dropped: Dropped,
): Promise<void> {
  const path = above + entry.name
  try {
    if (isFile(entry)) dropped.picked.push({ kind: 'file', path, file: await fileOf(entry), handle })
    else if (isDirectory(entry)) {
      const children = await childrenOf(entry)
      // Folders appear with their files; only an empty one has to be sent by itself.
      if (children.length === 0) dropped.picked.push({ kind: 'folder', path })
      for (const child of children) await walk(child, `${path}/`, handle, dropped)
    }
  } catch {
    dropped.unreadable.push(path)
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile

const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

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

interface MaybeHandled {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>
}

/** Only some browsers have it, and only on secure pages. */
async function handleOf(item: DataTransferItem): Promise<FileSystemHandle | null> {
  const asked = (item as DataTransferItem & MaybeHandled).getAsFileSystemHandle?.()
  return asked === undefined ? null : asked.catch(() => null)
}
