import { taskGroup } from '../../concurrency/task-group.ts'
import { Failure } from '../../failure.ts'
import type { Entry } from '../entry.ts'
import type { VirtualPath } from '../path.ts'
import type { RemoteDraft, RemoteWrite } from '../remote/files.ts'
import { publish } from './conditions.ts'
import { type Block, blockSize, clearStore, type DraftParts, type State, sizeOf } from './draft-state.ts'
import { fileEntry, headersFor, headersOfCopy, timeIn, timeOf, writeIn } from './entries.ts'
import { abandon, beginUpload, completeUpload, multipart, notedUploads, sizeOfPart } from './multipart.ts'
import { sourceOf } from './objects.ts'
import { isWord } from './refusal.ts'
import { Filling, muchInMemory, partsAtOnce } from './writing.ts'

const isGone = (error: unknown): boolean => isWord(error, 'NoSuchUpload', 'NoSuchKey')

/** A draft that is open. Only one process has it open to change it. */
export class S3Draft implements RemoteDraft {
  /** The state as it was last noted. */
  #noted: string
  /** The bytes of the tail, where they are in memory. */
  #tail: Uint8Array<ArrayBuffer> | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(
    private readonly parts: DraftParts,
    private readonly path: VirtualPath,
    private readonly id: string,
    private readonly state: State,
  ) {
    this.#noted = JSON.stringify(state)
  }

  get size(): number {
    return sizeOf(this.state)
  }

  async append(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const { state } = this
    const filling = new Filling()
    filling.add(await this.#tailBytes())
    const group = taskGroup(partsAtOnce)
    const done: (Block | undefined)[] = []
    let next = state.blocks.length
    let failure: { error: unknown } | undefined
    const seal = (at: number, body: Uint8Array<ArrayBuffer>) =>
      group.start(() =>
        this.parts.sending.run(async () => {
          done[at] = [body.length, await this.#putBlock(at, body)]
          await this.#advance(done)
        }),
      )
    try {
      for await (const piece of bytes) {
        filling.add(piece)
        for (let size = this.#blockSize(next); filling.size > size; size = this.#blockSize(next)) {
          if (size > muchInMemory) await group.wait()
          await seal(next, filling.take(size))
          next += 1
        }
      }
    } catch (error) {
      failure = { error }
    }
    await group.wait().catch(async (error) => {
      failure = { error: isGone(error) ? await this.#lost() : error }
    })
    await this.#save()
    // Bytes behind a block that could not be stored are lost, and sent again.
    if (state.blocks.length === next) await this.#putTail(filling.take(filling.size))
    if (failure !== undefined) throw failure.error
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const { state } = this
    const pieces: Uint8Array[] = []
    let from = 0
    for (const [at, [size]] of state.blocks.entries()) {
      if (start < from + size && end > from)
        pieces.push(await this.#readBlock(at, start - from, Math.min(end - from, size)))
      from += size
    }
    const tail = end > from ? await this.#tailBytes() : new Uint8Array()
    pieces.push(tail.subarray(Math.max(0, start - from), Math.max(0, end - from)))
    return Buffer.concat(pieces)
  }

  async truncate(size: number): Promise<void> {
    const { state, parts } = this
    if (size >= this.size) return
    const before = state.blocks
    const { length } = before
    while (blockSize(state.blocks) > size) state.blocks = state.blocks.slice(0, -1)
    const rest = size - blockSize(state.blocks)
    if (state.blocks.length === length) {
      const tail = (await this.#tailBytes()).slice(0, rest)
      state.tail = rest
      this.#tail = tail
      return this.#save()
    }
    const at = state.blocks.length
    const kept = state.isReadable && rest > 0 ? await this.#readBlock(at, 0, rest) : new Uint8Array()
    // Noted first: the object of the tail is about to hold something else.
    state.tail = 0
    this.#tail = undefined
    await this.#save()
    await this.#putTail(kept)
    if (state.isReadable)
      await parts.objects.removeAll(before.slice(at).map((_, index) => this.#keyOfBlock(at + index)))
  }

  /** All that was appended is safe already. */
  async sync(): Promise<void> {}

  async commit(options: RemoteWrite): Promise<Entry> {
    const { state, size } = this
    const { length } = options
    if (length !== undefined && size !== length)
      throw new Failure('incomplete', 'The connection ended before the file was whole')
    const etag = await this.#published(options)
    const entry = await this.#withTime(fileEntry(state.key, { etag, size }, timeOf(this.#modified(options))), options)
    await this.#clear()
    return entry
  }

  /** The file is there: what cannot be removed now is left to the cleanup, to which the record tells of it. */
  async #clear(): Promise<void> {
    const { objects, names, records } = this.parts
    try {
      await clearStore(objects, names.hiddenKey(this.state.store, ''))
      await records.forget(this.path, this.id)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  }

  #modified({ modified }: RemoteWrite): number {
    return modified ?? this.state.modified ?? this.state.begun
  }

  async #publish(options: RemoteWrite): Promise<string> {
    const { state, parts } = this
    const { objects } = parts
    const { key, write, blocks } = state
    const conditions = await parts.conditions()
    const { precondition, moved } = options
    const tail = await this.#tailBytes()
    if (blocks.length === 0) {
      const headers = headersFor(timeOf(this.#modified(options)), write)
      const publication = { key, precondition, isConditional: conditions.put, write }
      return publish(objects, publication, (more) => objects.put(key, tail, { ...headers, ...more }, false))
    }
    const publication = { key, precondition, isConditional: conditions.complete, write }
    /** Parts that are there already, and then the tail. */
    const complete = async (upload: string, etags: readonly string[]): Promise<string> => {
      const last = { key, upload, number: etags.length + 1 }
      const all = tail.length === 0 ? etags : [...etags, await objects.putPart(last, tail)]
      return completeUpload(objects, publication, upload, all, moved)
    }
    if (!state.isReadable)
      return complete(
        state.upload ?? '',
        blocks.map(([, etag]) => etag),
      )
    const headers = headersFor(timeOf(this.#modified(options)), write)
    return multipart(parts, this.path, key, headers, async (upload) =>
      complete(upload, await this.#copyBlocks(upload, moved)),
    )
  }

  /** What it consists of may be gone: it became the file before a crash, or a rule of the bucket has dropped it. */
  async #published(options: RemoteWrite): Promise<string> {
    const { key, write } = this.state
    try {
      return await this.#publish(options)
    } catch (error) {
      if (!isGone(error)) throw error
      const head = await this.parts.objects.head(key)
      if (head !== undefined && writeIn(head) === write) return head.etag
      throw await this.#lost()
    }
  }

  /** The server puts the blocks together, without their bytes passing through here. */
  async #copyBlocks(upload: string, moved: RemoteWrite['moved']): Promise<string[]> {
    const { state, parts } = this
    const etags: string[] = []
    const group = taskGroup(partsAtOnce)
    try {
      for (const at of state.blocks.keys())
        await group.start(async () => {
          const from = sourceOf(parts.bucket, this.#keyOfBlock(at))
          etags[at] = await parts.objects.copyPart({ key: state.key, upload, number: at + 1 }, from, {})
          moved?.()
        })
    } finally {
      await group.wait()
    }
    return etags
  }

  /** A time that was not known at the beginning is given to a file of parts by copying it onto itself, where one call can. */
  async #withTime(entry: Entry, { modified, moved }: RemoteWrite): Promise<Entry> {
    const { state, parts } = this
    if (state.isReadable || state.blocks.length === 0) return entry
    if (modified === undefined || modified === (state.modified ?? state.begun)) return entry
    const head = await parts.objects.head(state.key)
    if (head === undefined || writeIn(head) !== state.write) return entry
    if (head.size > parts.sizes.copy) return fileEntry(state.key, head, timeIn(head))
    const headers = {
      ...headersOfCopy(head, state.write),
      ...headersFor(timeOf(modified), state.write),
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-copy-source-if-match': `"${head.etag}"`,
    }
    const etag = await parts.objects.copy(sourceOf(parts.bucket, state.key), state.key, headers, moved)
    return fileEntry(state.key, { etag, size: head.size }, timeOf(modified))
  }

  #blockSize(at: number): number {
    const { partSize, isReadable } = this.state
    return isReadable ? sizeOfPart(partSize, at) : partSize
  }

  #keyOfBlock(at: number): string {
    return this.parts.names.hiddenKey(this.state.store, String(at))
  }

  async #putBlock(at: number, body: Uint8Array<ArrayBuffer>): Promise<string> {
    const { objects } = this.parts
    if (this.state.isReadable) return objects.put(this.#keyOfBlock(at), body, {})
    return objects.putPart({ key: this.state.key, upload: await this.#upload(), number: at + 1 }, body)
  }

  #creating: Promise<string> | undefined

  #upload(): Promise<string> {
    const { state, parts } = this
    const create = async () => {
      if (state.isBegun) await abandon(parts.objects, state, () => notedUploads(parts.records))
      state.isBegun = true
      await this.#save()
      const headers = headersFor(timeOf(state.modified ?? state.begun), state.write)
      state.upload = await beginUpload(parts, state, headers)
      await this.#save()
      return state.upload
    }
    if (state.upload !== undefined) return Promise.resolve(state.upload)
    this.#creating ??= create()
    return this.#creating
  }

  /** All that can be done then is to begin anew, which `size` tells. */
  async #lost(): Promise<Failure> {
    Object.assign(this.state, { upload: undefined, isBegun: false, blocks: [], tail: 0 })
    this.#creating = undefined
    this.#tail = undefined
    await this.#save()
    return new Failure('unavailable', 'The object storage has dropped what was uploaded; it begins anew')
  }

  #readBlock(at: number, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    if (!this.state.isReadable)
      throw new Failure('unavailable', 'The object storage cannot read an upload that is not complete')
    return this.parts.objects.get(this.#keyOfBlock(at), Math.max(0, start), end)
  }

  /** Blocks count in their order; those that are stored before an earlier one wait for it. */
  async #advance(done: readonly (Block | undefined)[]): Promise<void> {
    const { state } = this
    for (let block = done[state.blocks.length]; block !== undefined; block = done[state.blocks.length]) {
      state.blocks.push(block)
      state.tail = 0
      this.#tail = undefined
    }
    // The list gets longer with each part, and so does what is noted: of long ones only every few.
    if (state.blocks.length % (1 + Math.floor(state.blocks.length / 128)) === 0) await this.#save()
  }

  async #tailBytes(): Promise<Uint8Array<ArrayBuffer>> {
    const { state, parts } = this
    this.#tail ??= await parts.objects.get(parts.names.hiddenKey(state.store, 'tail'), 0, state.tail)
    return this.#tail
  }

  async #putTail(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { state, parts } = this
    if (bytes.length > 0) await parts.objects.put(parts.names.hiddenKey(state.store, 'tail'), bytes, {})
    state.tail = bytes.length
    this.#tail = bytes
    await this.#save()
  }

  /** One after another, so that the last one noted is the latest. */
  #save(): Promise<void> {
    this.#saving = this.#saving
      .catch(() => {})
      .then(async () => {
        const text = JSON.stringify(this.state)
        if (text === this.#noted) return
        await this.parts.records.save(this.path, this.id, text)
        this.#noted = text
      })
    return this.#saving
  }
}
