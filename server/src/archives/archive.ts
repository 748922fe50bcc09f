import type { Scope } from '../access/scope.ts'
import { batched } from './batches.ts'
import { loadCodec } from './codecs/codecs.ts'
import { contentTypeOf, type Format, isCompressedTar, suffixOf } from './formats.ts'
import { leftOut } from './left-out.ts'
import { membersOf } from './members.ts'
import { type Selection, titleOf } from './selection.ts'
import { stoppable } from './stoppable.ts'
import { tarOf } from './tar.ts'
import { plannedZip } from './zip/planned.ts'

/** All that an answer has to know of an archive. */
export interface Archive {
  readonly name: string
  readonly contentType: string
  /** Where the bytes are known to be the same next time: how many there are, and of which version. */
  readonly whole?: Whole | undefined
  /** Made while they are taken; everything is closed when the taker returns early. A part exists only of a `whole`. */
  bytes(part?: Part): AsyncGenerator<Uint8Array>
  /** Releases what it holds. To be called once, when no more is taken from it. */
  close?(): void
}

interface Part {
  readonly start: number
  readonly end: number
}

interface Whole {
  readonly length: number
  readonly version: string
  /** How many bytes before a part have to be read, and are not sent. */
  toReread(part: Part): number
}

export interface ArchiveOptions {
  format: Format
  /** What an archive of the whole scope is called. */
  rootName: string
  signal?: AbortSignal | undefined
}

/** What is selected, as one file. Everything is looked up through the scope, so an archive shows what a listing shows. */
export async function archiveOf(
  scope: Scope,
  selection: Selection,
  { format, rootName, signal }: ArchiveOptions,
): Promise<Archive> {
  const name = titleOf(selection, rootName) + suffixOf(format)
  const contentType = contentTypeOf(format)
  const missing = leftOut()
  const members = stoppable(membersOf(scope, selection, missing, signal), signal)
  if (format === 'zip') return { name, contentType, ...(await plannedZip(scope, members, missing, signal)) }
  const tar = () => stoppable(batched(tarOf(scope, members, missing)), signal)
  if (!isCompressedTar(format)) return { name, contentType, bytes: tar }
  // Before the answer begins, because the library may not be there.
  const pack = await loadCodec(format)
  return { name, contentType, bytes: () => pack(tar()) }
}
