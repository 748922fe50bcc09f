/** Something that a person has chosen or dropped, with its place below the folder it goes to: 'trip/day 1/a.jpg'. */
export type Picked = PickedFile | { kind: 'folder'; path: string }

export interface PickedFile {
  kind: 'file'
  path: string
  file: File
  /** A way to the same file after a reload, where the browser gives one. */
  handle?: Promise<FileSystemHandle | null>
}

/** A dropped folder, still to be read. */
export interface UnreadFolder {
  kind: 'unread'
  entry: FileSystemDirectoryEntry
  handle: Promise<FileSystemHandle | null>
}

/** From a file field. Chosen folders come as their files, each with the path inside. */
export const fromField = (files: readonly File[]): PickedFile[] =>
  files.map((file) => ({ kind: 'file', path: file.webkitRelativePath || file.name, file }))

/**
 * From a drop or a paste. Must be called while the event lasts: afterwards the browser takes the items away. Only what
 * is asked for here stays readable.
 */
export const fromTransfer = (items: readonly DataTransferItem[]): (PickedFile | UnreadFolder)[] =>
  items
    .filter((item) => item.kind === 'file')
    .flatMap((item) => {
      const [entry, file, handle] = [item.webkitGetAsEntry(), item.getAsFile(), handleOf(item)]
      if (entry !== null && isDirectory(entry)) return { kind: 'unread', entry, handle }
      return file === null ? [] : { kind: 'file', path: file.name, file, handle }
    })

export const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

interface MaybeHandled {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>
}

/** Only some browsers have it, and only on secure pages. */
async function handleOf(item: DataTransferItem): Promise<FileSystemHandle | null> {
  const asked = (item as DataTransferItem & MaybeHandled).getAsFileSystemHandle?.()
  return asked === undefined ? null : asked.catch(() => null)
}
