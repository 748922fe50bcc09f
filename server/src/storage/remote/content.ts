import type { VirtualPath } from '../path.ts'
import type { Entry } from '../port.ts'
import { StreamedContent } from '../streamed-content.ts'
import type { RemoteFiles } from './files.ts'

/** The content of a file on a server elsewhere, which sends as fast as it is read. */
export const contentOf = (files: RemoteFiles, path: VirtualPath, entry: Entry): StreamedContent =>
  new StreamedContent((start, end) => files.read(path, entry, start, end), 0, entry.size)
