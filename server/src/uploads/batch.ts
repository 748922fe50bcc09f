import { BatchHead, batchLimits } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { taskGroup } from '../concurrency/task-group.ts'
import { Failure } from '../failure.ts'
import { parsePath } from '../storage/path.ts'
import { uploadWhole } from './create.ts'
import { keptMetadata, modifiedIn } from './headers.ts'
import type { Uploads } from './uploads.ts'

/** A file of a batch, with what became of it. */
export interface SentFile {
  /** As it was sent. */
  readonly path: string
  readonly length: number
  /** Undefined once the file is safe in its place. */
  readonly refusal?: { readonly error: unknown }
}

/**
 * So many files of a batch are written at once: their tasks go to the thread in one message, and the disk syncs them
 * together. Changes of others wait for no more than these.
 */
const atOnce = 16

/**
 * Uploads the files of a batch, each as it would be alone: refused or whole, whatever becomes of the others. `tell` is called
 * for each of them. Throws where the batch itself cannot be read any further.
 */
export async function uploadBatch(
  uploads: Uploads,
  scope: Scope,
  bytes: AsyncIterable<Uint8Array>,
  tell: (file: SentFile) => void,
): Promise<void> {
  const group = taskGroup(atOnce)
  try {
    for await (const { head, content } of filesIn(bytes))
      await group.start(async () => {
        const { path, length } = head
        const refusal = await uploadOne(uploads, scope, head, content)
        tell(refusal === undefined ? { path, length } : { path, length, refusal })
      })
  } finally {
    await group.wait()
  }
}

async function uploadOne(
  uploads: Uploads,
  scope: Scope,
  { path, length, override, metadata }: Head,
  content: Uint8Array,
): Promise<{ error: unknown } | undefined> {
  try {
    if (path === '' || path.endsWith('/')) throw new Failure('invalid', 'a folder cannot be uploaded')
    const announced = { length, override, modified: modifiedIn(metadata), metadata: keptMetadata(metadata) }
    await uploadWhole(uploads, scope, parsePath(path), announced, content)
    return undefined
  } catch (error) {
    return { error }
  }
}

type Head = ReturnType<typeof BatchHead.parse>

interface BatchFile {
  readonly head: Head
  readonly content: Uint8Array
}

/** In bytes: a path of the greatest length, every character of it escaped. */
const longestHead = 32 * 1024

/** The files of a batch as they arrive: of each a line of JSON, and so many bytes as that says. One is held at a time. */
export async function* filesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BatchFile> {
  const incoming = reader(bytes)
  let size = 0
  for (let count = 1; ; count += 1) {
    const line = await incoming.line(longestHead)
    if (line === undefined) return
    if (count > batchLimits.files) throw new Failure('too-large', `A batch has at most ${batchLimits.files} files`)
    const head = headIn(line)
    size += head.length
    if (size > batchLimits.size) throw new Failure('too-large', `A batch has at most ${batchLimits.size} bytes`)
    yield { head, content: await incoming.take(head.length) }
  }
}

function headIn(line: string): Head {
  try {
    return BatchHead.parse(JSON.parse(line))
  } catch (cause) {
    throw new Failure('invalid', 'the line before a file of the batch does not fit', { cause })
  }
}

function reader(bytes: AsyncIterable<Uint8Array>) {
  const source = bytes[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  /** False at the end. */
  async function more(): Promise<boolean> {
    const { done, value } = await source.next()
    if (done) return false
    held = held.length === 0 ? bufferOver(value) : Buffer.concat([held, value])
    return true
  }

  function cut(length: number): Buffer {
    const part = held.subarray(0, length)
    held = held.subarray(length)
    return part
  }

  return {
    /** Without its end; undefined behind the last one. */
    async line(longest: number): Promise<string | undefined> {
      for (;;) {
        const end = held.indexOf(10)
        if (end > longest || (end === -1 && held.length > longest))
          throw new Failure('invalid', 'the line before a file of the batch is too long')
        if (end !== -1) return cut(end + 1).toString('utf8', 0, end)
        if (await more()) continue
        if (held.length === 0) return undefined
        throw new Failure('incomplete', 'the batch ends within a line')
      }
    },
    async take(length: number): Promise<Uint8Array> {
      while (held.length < length) if (!(await more())) throw new Failure('incomplete', 'the batch ends within a file')
      return cut(length)
    },
  }
}

const bufferOver = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)
