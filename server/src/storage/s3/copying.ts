import { taskGroup } from '../../concurrency/task-group.ts'
import { Failure } from '../../failure.ts'
import type { Entry } from '../entry.ts'
import type { VirtualPath } from '../path.ts'
import type { RemoteCopy } from '../remote/files.ts'
import { publish, requireSame } from './conditions.ts'
import { fileEntry, headersOfCopy, timeIn } from './entries.ts'
import { completeUpload, mostParts, multipart } from './multipart.ts'
import { type ObjectHead, rangeOf, sourceOf } from './objects.ts'
import { partsAtOnce, type WritingParts } from './writing.ts'

export interface CopyingParts extends WritingParts {
  readonly bucket: string
}

/** By the server itself: in one call, or, beyond what one call copies, in parts. */
export async function copyFile(
  parts: CopyingParts,
  from: VirtualPath,
  to: VirtualPath,
  { precondition, version, signal, progress }: RemoteCopy,
): Promise<Entry> {
  const { objects, sizes, bucket } = parts
  const [source, key] = [parts.keyOf(from), parts.keyOf(to)]
  const head = await objects.head(source)
  if (head === undefined) throw new Failure('not-found', 'There is no such file or folder')
  requireSame(head, version)
  signal?.throwIfAborted()
  const write = crypto.randomUUID()
  const headers = headersOfCopy(head, write)
  const only = { 'x-amz-copy-source-if-match': `"${head.etag}"` }
  const conditions = await parts.conditions()
  const moved = () => progress?.(0)
  const described = (etag: string): Entry => fileEntry(key, { etag, size: head.size }, timeIn(head))
  if (head.size <= sizes.copy) {
    const publication = { key, precondition, isConditional: conditions.copy, write }
    const etag = await publish(objects, publication, (more) =>
      objects.copy(
        sourceOf(bucket, source),
        key,
        {
          ...headers,
          ...only,
          ...more,
          'x-amz-metadata-directive': 'REPLACE',
        },
        moved,
      ),
    )
    progress?.(head.size)
    return described(etag)
  }
  return multipart(parts, to, key, headers, async (upload) => {
    const etags: string[] = []
    const group = taskGroup(partsAtOnce)
    try {
      for (const { number, start, end } of ranges(head, sizes.copyPart)) {
        signal?.throwIfAborted()
        await group.start(async () => {
          const range = { ...only, 'x-amz-copy-source-range': rangeOf(start, end) }
          etags[number - 1] = await objects.copyPart({ key, upload, number }, sourceOf(bucket, source), range)
          progress?.(end - start)
        })
      }
    } finally {
      await group.wait()
    }
    signal?.throwIfAborted()
    const publication = { key, precondition, isConditional: conditions.complete, write }
    return described(await completeUpload(objects, publication, upload, etags, moved))
  })
}

function* ranges({ size }: ObjectHead, usual: number): Generator<{ number: number; start: number; end: number }> {
  const length = Math.max(usual, Math.ceil(size / mostParts))
  for (let start = 0, number = 1; start < size; start += length, number += 1)
    yield { number, start, end: Math.min(size, start + length) }
}
