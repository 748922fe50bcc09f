import { encodePath } from '@filestead/contract'
import type { DetailedError, Upload, UploadOptions } from 'tus-js-client'
import { ApiError, apiUrl } from '../../api/client.ts'
import { currentSession, enterAnew, renew } from '../../api/session.ts'
import { describeFailure } from '../../api/show-failure.ts'
import { startSettings } from '../../api/start-settings.ts'
import { t } from '../../i18n/i18n.ts'
import type { FileJob } from './queue.ts'
import { isWorthAnotherTry, retryDelays, smallerPiece } from './retries.ts'

/** Why a file did not arrive, in words for the person who sent it. */
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

export interface Sending {
  signal: AbortSignal
  onProgress(sent: number): void
  /** The server has opened an upload at this address. */
  onBegun(url: string): void
}

/** How much a proxy on the way lets through at once; learned from its refusals, for all files that follow. */
let pieceSize = startSettings.TusSettings?.chunkSize ?? 0

/** Sends one file to its end, through lost connections and grumpy proxies. Rejects with an `UploadFailure`. */
export async function sendFile(job: FileJob, sending: Sending): Promise<void> {
  if (pieceSize <= 0) throw new UploadFailure(t('upload.noSettings'))
  let url = job.url
  for (;;) {
    const { upload, error } = await tryToSend({ ...job, url }, sending)
    sending.signal.throwIfAborted()
    if (error === null) return
    url = upload.url
    if (shrinkPieces(error, job)) continue
    if (isCutOff(error)) await untilOnline(sending.signal)
    else throw await failureOf(error, job.file)
  }
}

interface Attempt {
  upload: Upload
  error: Error | DetailedError | null
}

async function tryToSend(job: FileJob, { signal, onProgress, onBegun }: Sending): Promise<Attempt> {
  const tus = await import('tus-js-client')
  return new Promise((resolve) => {
    const upload: Upload = new tus.Upload(job.file, {
      ...optionsFor(job, signal),
      onProgress,
      onUploadUrlAvailable: () => upload.url !== null && onBegun(upload.url),
      onSuccess: () => resolve({ upload, error: null }),
      onError: (error) => resolve({ upload, error }),
    })
    signal.addEventListener(
      'abort',
      () => {
        void upload.abort()
        resolve({ upload, error: null })
      },
      { once: true },
    )
    if (signal.aborted) resolve({ upload, error: null })
    else upload.start()
  })
}

const optionsFor = ({ path, override, url, file }: FileJob, signal: AbortSignal): UploadOptions => ({
  endpoint: new URL(apiUrl(`tus${encodePath(path)}?override=${override}`), location.href).href,
  uploadUrl: url,
  chunkSize: pieceSize,
  retryDelays: retryDelays(startSettings.TusSettings.retryCount),
  metadata: { mtime: new Date(file.lastModified).toISOString() },
  headers: { Accept: 'application/json' },
  // We keep the addresses ourselves, together with what else is needed after a reload.
  storeFingerprintForResuming: false,
  onShouldRetry: (error) =>
    !signal.aborted &&
    navigator.onLine &&
    (isWorthAnotherTry(statusOf(error)) || (statusOf(error) === 401 && currentSession() !== null)),
  onBeforeRequest(request) {
    // An upload never goes on in another session than its own, with whose token it would be somebody else's.
    signal.throwIfAborted()
    // Read anew each time: it may have been renewed since the upload began.
    request.setHeader('X-Auth', currentSession()?.token ?? '')
  },
  async onAfterResponse(request, response) {
    if (signal.aborted) return
    if (response.getHeader('X-Renew-Token') === 'true') void renew().catch(() => {})
    // A late refusal of a token that has been renewed since says nothing about the session.
    const isCurrent = request.getHeader('X-Auth') === currentSession()?.token
    if (response.getStatus() === 401 && isCurrent) await enterAnew()
    // Left alone, the library would take any trouble for "there is no such upload" and start over.
    if (request.getMethod() === 'HEAD' && response.getStatus() >= 500) throw new Error('The server stumbled')
  },
})

const isDetailed = (error: Error | DetailedError): error is DetailedError => 'originalRequest' in error

/** 0 where there was no answer. */
const statusOf = (error: Error | DetailedError): number =>
  (isDetailed(error) && error.originalResponse?.getStatus()) || 0

const isCutOff = (error: Error | DetailedError): boolean => statusOf(error) === 0 && !navigator.onLine

/** A 413 that is not our server's own comes from something on the way that wants smaller pieces. */
function shrinkPieces(error: Error | DetailedError, { file }: FileJob): boolean {
  if (statusOf(error) !== 413 || !isDetailed(error) || error.originalRequest.getMethod() !== 'PATCH') return false
  if (problemOf(error).code === 'too-large') return false
  const offset = Number(error.originalRequest.getHeader('Upload-Offset') ?? 0)
  const smaller = smallerPiece(Math.min(pieceSize, file.size - offset))
  if (smaller === null) return false
  pieceSize = Math.min(pieceSize, smaller)
  return true
}

function untilOnline(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (navigator.onLine) return resolve()
    addEventListener('online', () => resolve(), { once: true, signal })
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

async function failureOf(error: Error | DetailedError, file: File): Promise<UploadFailure> {
  const status = statusOf(error)
  if (status === 0 || !isDetailed(error)) {
    const isReadable = await file
      .slice(0, 1)
      .arrayBuffer()
      .then(
        () => true,
        () => false,
      )
    return new UploadFailure(t(isReadable ? 'upload.connectionAborted' : 'upload.unreadable'))
  }
  const problem = problemOf(error)
  const text = describeFailure(problem)
  const isNameTaken = status === 409 && problem.code !== 'wrong-offset'
  return error.originalRequest.getMethod() === 'POST'
    ? new UploadFailure(t('upload.notBegun', { status, text }), isNameTaken)
    : new UploadFailure(t('upload.broken', { message: text }), isNameTaken)
}

/** Our server answers with a code; whatever stands before it, with a page or a line of text. */
function problemOf({ originalResponse: response }: DetailedError): ApiError {
  const status = response?.getStatus() ?? 0
  const body = response?.getBody().trim() ?? ''
  try {
    const { code, message } = JSON.parse(body)
    return new ApiError(status, String(message ?? code), code ?? null)
  } catch {
    const isPage = body === '' || body.startsWith('<')
    const text = isPage ? String(response?.getUnderlyingObject()?.statusText ?? '') : body
    return new ApiError(status, text.replace(`${status} `, ''))
  }
}
