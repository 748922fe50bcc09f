import type { Scope } from '../access/scope.ts'
import { loadCodec } from './codecs/codecs.ts'
import { contentTypeOf, type Format, isCompressedTar, suffixOf } from './formats.ts'
import { leftOut } from './left-out.ts'
import { membersOf } from './members.ts'
import { type Selection, titleOf } from './selection.ts'
import { batched, stoppable } from './stream.ts'
import { tarOf } from './tar.ts'
import { plannedZip } from './zip/plan.ts'

/** What an answer needs of an archive. */
export interface Archive {
  readonly name: string
  readonly contentType: string
  /** Length and version, where the bytes are the same each time the archive is made. */
  readonly whole?: Whole | undefined
  /** Made as they are read; everything is closed when the consumer stops early. A part exists only of a `whole`. */
  bytes(part?: Part): AsyncGenerator<Uint8Array>
  /** Releases what it holds. To be called once, when no more is read from it. */
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
  /** For whom it is made: see `PlanBudget`. */
  client: string
}

/** The selected entries as one file. They are read through the scope, so an archive shows what a listing shows. */
export async function archiveOf(
  scope: Scope,
  selection: Selection,
  { format, rootName, signal, client }: ArchiveOptions,
): Promise<Archive> {
  const name = titleOf(selection, rootName) + suffixOf(format)
  const contentType = contentTypeOf(format)
  const missing = leftOut()
  const members = stoppable(membersOf(scope, selection, missing, signal), signal)
  if (format === 'zip') return { name, contentType, ...(await plannedZip(scope, members, missing, { signal, client })) }
  const tar = () => stoppable(batched(tarOf(scope, members, missing)), signal)
  if (!isCompressedTar(format)) return { name, contentType, bytes: tar }
  // Before the answer begins, because the library may not be installed.
  const pack = await loadCodec(format)
  return { name, contentType, bytes: () => pack(tar()) }
}
