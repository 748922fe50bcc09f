import { apiUrl } from '../../server/client.ts'
import { currentSession, reauthenticate, renew } from '../../server/session.ts'
import { stallWatch } from '../../server/stall-watch.ts'
import { aborted } from '../../state/waiting.ts'

export type UploadMethod = 'POST' | 'HEAD' | 'PATCH' | 'DELETE'

export interface UploadRequest {
  readonly method: UploadMethod
  /** A POST that names its method in a header, for networks that let only GET and POST through. */
  readonly isOverridden: boolean
  /** Below /api. */
  readonly address: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Blob | null
  readonly signal: AbortSignal
  onProgress?(bytes: number): void
}

export interface UploadAnswer {
  /** 0 where there was none. */
  readonly status: number
  readonly statusText: string
  readonly body: string
  /** From Filestead, which names its version of tus in every answer, and not from a proxy before it. */
  readonly isOwn: boolean
  header(name: string): string | null
}

/**
 * Sends a request of the tus protocol. XMLHttpRequest, because fetch does not tell how many bytes were sent. Rejects
 * only when `signal` is aborted: an upload never goes on in another session than its own.
 */
export async function sendRequest(request: UploadRequest): Promise<UploadAnswer> {
  request.signal.throwIfAborted()
  // Read anew each time: it may have been renewed since the upload began.
  const token = currentSession()?.token ?? ''
  const answer = await exchange(request, token)
  request.signal.throwIfAborted()
  if (answer.header('X-Renew-Token') === 'true') void renew().catch(() => {})
  // A late refusal of a token that has been renewed since says nothing about the session.
  if (answer.status === 401 && token === (currentSession()?.token ?? '')) {
    await reauthenticate()
    request.signal.throwIfAborted()
  }
  return answer
}

/** The server keeps the time of the file, and tells one upload from another by it. */
export const metadataOf = ({ lastModified }: File): string => `mtime ${btoa(new Date(lastModified).toISOString())}`

const noAnswer: UploadAnswer = { status: 0, statusText: '', body: '', isOwn: false, header: () => null }

async function exchange(request: UploadRequest, token: string): Promise<UploadAnswer> {
  const { method, isOverridden, address, headers, body, signal, onProgress } = request
  const xhr = new XMLHttpRequest()
  xhr.open(isOverridden ? 'POST' : method, apiUrl(address))
  const all = {
    Accept: 'application/json',
    'Tus-Resumable': '1.0.0',
    'X-Auth': token,
    ...(isOverridden && { 'X-HTTP-Method-Override': method }),
    ...headers,
  }
  for (const [name, value] of Object.entries(all)) xhr.setRequestHeader(name, value)
  const over = new AbortController()
  const stall = stallWatch()
  xhr.upload.onprogress = ({ loaded }) => {
    stall.noteProgress()
    onProgress?.(loaded)
  }
  xhr.upload.onload = () => stall.noteSent()
  const answered = new Promise<UploadAnswer>((resolve) => {
    xhr.onload = () => resolve(answerOf(xhr))
    xhr.onerror = () => resolve(noAnswer)
    xhr.send(body ?? null)
  })
  if (body == null && method === 'POST') stall.noteSent()
  try {
    return await Promise.race([answered, stall.stalled.then(() => noAnswer), aborted(signal, over.signal)])
  } finally {
    over.abort()
    stall.stop()
    xhr.abort()
  }
}

const answerOf = (xhr: XMLHttpRequest): UploadAnswer => {
  const { status, statusText, responseText: body } = xhr
  // After abort() an XMLHttpRequest knows its headers no more.
  const headers = new Headers(
    xhr
      .getAllResponseHeaders()
      .split('\r\n')
      .flatMap((line): [string, string][] => {
        const at = line.indexOf(':')
        return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()]]
      }),
  )
  return { status, statusText, body, isOwn: headers.has('Tus-Resumable'), header: (name) => headers.get(name) }
}
