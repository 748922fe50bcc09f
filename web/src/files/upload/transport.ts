import { encodePath, nameOf, operationHeader, parentOf } from '@filestead/contract'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { ApiError } from '../../server/client.ts'
import { Outages, type Waiting } from '../../server/outages.ts'
import { createFolder, entriesNamed } from '../../server/queries/resources.ts'
import { currentSession } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { perSession } from '../../state/session-scope.ts'
import type { FileJob, FolderJob } from './queue.ts'
import { metadataOf, sendRequest, type UploadAnswer, type UploadMethod } from './request.ts'
import { judge, smallerPiece, type Verdict } from './retries.ts'

/** Why a file did not arrive, in words for people. */
export class UploadFailure extends Error {
  override readonly name = 'UploadFailure'

  constructor(
    message: string,
    /** Something with this name is there: the way out is to replace it. */
    readonly isNameTaken = false,
  ) {
    super(message)
  }
}

export interface Sending extends Waiting {
  onProgress(sent: number): void
  /** From now on the server may know of the upload. */
  onBegun(): void
}

/** What the network between browser and server lets through. */
interface Passage {
  /** Bytes of one request. */
  readonly pieceSize: number
  /** Methods that go as a POST with a header. */
  readonly overridden: ReadonlySet<UploadMethod>
  /** A new upload may bring its first bytes along. */
  readonly takesBytesWithCreation: boolean
}

/** Learned from refusals of proxies, for all files of the session. */
const known = perSession(() => ({
  passage: {
    pieceSize: startSettings.TusSettings?.chunkSize ?? 0,
    overridden: new Set<UploadMethod>(),
    takesBytesWithCreation: true,
  } as Passage,
}))

/** A file up to this size is created and filled by one request. After a lost connection it is sent again as a whole. */
const sentWithCreation = 256 * 1024

const pieceType = 'application/offset+octet-stream'

/** Sends one file to its end, through outages and narrow proxies. Rejects with an `UploadFailure`. */
export function sendFile(job: FileJob, sending: Sending, send = sendRequest): Promise<void> {
  if (known().passage.pieceSize <= 0) return Promise.reject(new UploadFailure(t('upload.noSettings')))
  return new Transmission(job, sending, send).run()
}

/** Ends an upload on the server, which then keeps nothing of it. */
export async function withdrawFile(path: string, signal: AbortSignal): Promise<void> {
  const request = { method: 'DELETE', address: `tus${encodePath(path)}`, signal } as const
  const answer = await sendRequest({ ...request, isOverridden: false })
  if (verdictOf(answer) === 'other-way') await sendRequest({ ...request, isOverridden: true })
}

/** Creates a folder that has no files. Waits through outages, too. */
export async function sendFolder({ path, batch }: FolderJob, sending: Sending): Promise<void> {
  const outages = new Outages(sending)
  for (;;) {
    try {
      return await createFolder(path, { signal: sending.signal, batch })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // The answer to an earlier try may have been lost.
      if (outages.count > 0 && error.code === 'already-exists') return
      if (error.status !== 0 || !(await outages.waitOut())) throw error
    }
  }
}

/** An answer that is not the one that was asked for. */
class Refusal extends Error {
  constructor(
    readonly answer: UploadAnswer,
    readonly method: UploadMethod,
    readonly bytes: number,
  ) {
    super(`${method} was answered ${answer.status}`)
  }
}

/** One file on its way: the tus protocol as far as Filestead speaks it. */
class Transmission {
  readonly #job: FileJob
  readonly #sending: Sending
  readonly #send: typeof sendRequest
  readonly #address: string
  readonly #metadata: string
  readonly #outages: Outages
  /** What this file has found out about the network, and the session does not know yet. */
  #found: Partial<Passage> = {}
  /** In another request, perhaps of a page that is gone, whose answer was lost. */
  readonly #wasSentBefore: boolean
  /** The server may have an upload: it is asked before another one is created. */
  #mayHaveBegun: boolean

  constructor(job: FileJob, sending: Sending, send: typeof sendRequest) {
    this.#job = job
    this.#sending = sending
    this.#send = send
    this.#address = `tus${encodePath(job.path)}`
    this.#metadata = metadataOf(job.file)
    this.#outages = new Outages(sending)
    this.#wasSentBefore = job.url !== null || job.kept !== null
    this.#mayHaveBegun = this.#wasSentBefore
  }

  async run(): Promise<void> {
    for (;;) {
      try {
        return await this.#sendAll()
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (await this.#isThereAlready(error)) return
        if (!(await this.#mayGoOn(error))) throw await this.#failureOf(error)
      }
    }
  }

  get #passage(): Passage {
    return { ...known().passage, ...this.#found }
  }

  async #sendAll(): Promise<void> {
    const { size } = this.#job
    let offset = this.#mayHaveBegun ? await this.#askOffset() : null
    offset ??= await this.#create()
    this.#mayHaveBegun = true
    this.#sending.onProgress(offset)
    while (offset < size) {
      offset = await this.#append(offset)
      this.#outages.reset()
      this.#sending.onProgress(offset)
    }
  }

  /** Null where the server has no upload of this very file. */
  async #askOffset(): Promise<number | null> {
    const { size } = this.#job
    const answer = await this.#ask('HEAD', {})
    if (answer.status !== 200) {
      if (answer.isOwn && [403, 404, 409, 410].includes(answer.status)) return null
      throw new Refusal(answer, 'HEAD', 0)
    }
    const offset = Number.parseInt(answer.header('Upload-Offset') ?? '', 10)
    if (Number.isNaN(offset)) throw new Refusal({ ...answer, isOwn: false }, 'HEAD', 0)
    const isSame =
      answer.header('Upload-Length') === String(size) &&
      (answer.header('Upload-Metadata') ?? this.#metadata) === this.#metadata
    return isSame && offset <= size ? offset : null
  }

  /** Begins the upload, a small file with all its bytes. Returns how many the server has. */
  async #create(): Promise<number> {
    const { file, size, override } = this.#job
    const { pieceSize, takesBytesWithCreation } = this.#passage
    const isWhole = takesBytesWithCreation && size > 0 && size <= Math.min(sentWithCreation, pieceSize)
    this.#sending.onBegun()
    const answer = await this.#ask('POST', {
      query: `?override=${override}`,
      headers: { 'Upload-Length': String(size), 'Upload-Metadata': this.#metadata },
      body: isWhole ? file : null,
    })
    if (answer.status !== 201) throw new Refusal(answer, 'POST', isWhole ? size : 0)
    const offset = Number.parseInt(answer.header('Upload-Offset') ?? '', 10)
    if (!Number.isNaN(offset)) return offset
    // What the server has kept of an earlier try counts.
    return this.#mayHaveBegun && size > 0 ? ((await this.#askOffset()) ?? 0) : 0
  }

  async #append(offset: number): Promise<number> {
    const body = this.#job.file.slice(offset, offset + this.#passage.pieceSize)
    const headers = { 'Upload-Offset': String(offset) }
    const answer = await this.#ask('PATCH', { headers, body, offset })
    const next = Number.parseInt(answer.header('Upload-Offset') ?? '', 10)
    if (answer.status !== 204 || Number.isNaN(next) || next <= offset) throw new Refusal(answer, 'PATCH', body.size)
    return next
  }

  async #ask(
    method: UploadMethod,
    part: { query?: string; headers?: Record<string, string>; body?: Blob | null; offset?: number },
  ): Promise<UploadAnswer> {
    const { query = '', headers = {}, body = null, offset = 0 } = part
    const isOverridden = this.#passage.overridden.has(method)
    const answer = await this.#send({
      method,
      isOverridden,
      address: this.#address + query,
      headers: {
        ...headers,
        ...(body !== null && { 'Content-Type': pieceType }),
        ...(this.#job.batch !== undefined && { [operationHeader]: this.#job.batch }),
      },
      body,
      signal: this.#sending.signal,
      onProgress: (bytes) => this.#sending.onProgress(offset + bytes),
    })
    if (answer.isOwn && Object.keys(this.#found).length > 0) this.#keepFound()
    return answer
  }

  /** The server has answered: what this file has found out is so for all. */
  #keepFound(): void {
    const own = known()
    const { overridden, ...rest } = this.#found
    own.passage = {
      ...own.passage,
      ...rest,
      pieceSize: Math.min(own.passage.pieceSize, rest.pieceSize ?? Number.POSITIVE_INFINITY),
      overridden: new Set([...own.passage.overridden, ...(overridden ?? [])]),
    }
    this.#found = {}
  }

  /** Prepares another try. False where none is worth it. */
  async #mayGoOn(refusal: Refusal): Promise<boolean> {
    const { answer, bytes } = refusal
    if (answer.status === 401 && currentSession() !== null) return this.#outages.pause()
    const verdict = verdictOf(answer)
    // The request may have been carried out, though its answer does not say so.
    if (verdict === 'again' || verdict === 'cut-off') this.#mayHaveBegun = true
    switch (verdict) {
      case 'again':
        return this.#outages.pause()
      case 'smaller':
        return this.#shrink(bytes)
      case 'other-way':
        return this.#tryOtherWay(refusal)
      case 'cut-off':
        if (!(await isReadable(this.#job.file))) return false
        // Some proxies cut the connection instead of refusing a large piece.
        return (await this.#outages.waitOut()) || this.#shrinkOnce(bytes)
      case 'refused':
        // The upload has expired meanwhile, or was ended elsewhere: another one is begun.
        return answer.status === 404 && refusal.method === 'PATCH' && this.#outages.pause()
    }
  }

  #shrink(refused: number): boolean {
    const { pieceSize } = this.#passage
    const smaller = smallerPiece(Math.min(refused, pieceSize))
    if (smaller === null) return false
    this.#found = { ...this.#found, pieceSize: Math.min(pieceSize, smaller) }
    return true
  }

  #shrinkOnce(refused: number): boolean {
    if (refused <= cautiousPiece) return false
    this.#found = { ...this.#found, pieceSize: Math.min(this.#passage.pieceSize, cautiousPiece) }
    this.#outages.reset()
    return true
  }

  #tryOtherWay({ method, bytes }: Refusal): boolean {
    const { overridden } = this.#passage
    if (method === 'POST') {
      if (bytes === 0) return false
      this.#found = { ...this.#found, takesBytesWithCreation: false }
      return true
    }
    if (overridden.has(method)) return false
    this.#found = { ...this.#found, overridden: new Set([...overridden, method]) }
    return true
  }

  /**
   * The last answer was lost with the connection, and a server that was restarted since does not remember the upload.
   * A file of the same size and time is this one.
   */
  async #isThereAlready({ answer }: Refusal): Promise<boolean> {
    if (answer.status !== 409 || (this.#outages.count === 0 && !this.#wasSentBefore)) return false
    const { path, file, size } = this.#job
    const { signal } = this.#sending
    const [there] = await entriesNamed(parentOf(path), [nameOf(path)], signal).catch(() => [])
    signal.throwIfAborted()
    return there?.size === size && Math.abs(Date.parse(there.modified) - file.lastModified) < 1000
  }

  async #failureOf({ answer, method }: Refusal): Promise<UploadFailure> {
    const { status } = answer
    if (verdictOf(answer) === 'cut-off')
      return new UploadFailure(t((await isReadable(this.#job.file)) ? 'upload.connectionAborted' : 'upload.unreadable'))
    const problem = problemOf(answer)
    const text = describeFailure(problem)
    const isNameTaken = status === 409 && problem.code !== 'wrong-offset'
    const said = method === 'POST' ? t('upload.notBegun', { status, text }) : t('upload.broken', { message: text })
    // A number says nothing to most people; the sentence before it does.
    return new UploadFailure(status >= 500 ? `${t('upload.notTaken')} ${said}` : said, isNameTaken)
  }
}

const cautiousPiece = 64 * 1024

function verdictOf(answer: UploadAnswer): Verdict {
  const { code } = problemOf(answer)
  return judge({ status: answer.status, isOwn: answer.isOwn || code !== null, code })
}

const isReadable = (file: File): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

/** Our server answers with a code; whatever stands before it, with a page or a line of text. */
function problemOf({ status, statusText, body }: UploadAnswer): ApiError {
  const text = body.trim()
  try {
    const { code, message } = JSON.parse(text)
    return new ApiError(status, String(message ?? code), code ?? null)
  } catch {
    const isPage = text === '' || text.startsWith('<')
    return new ApiError(status, (isPage ? statusText : text).replace(`${status} `, ''))
  }
}
