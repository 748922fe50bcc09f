import { piecesOf } from '../archives/content.ts'
import { contentTypeOf } from '../entries/kinds.ts'
import { type Delivery, deliver, dispositionOf } from '../http/downloads.ts'
import { filesOfAnswers } from '../http/held-files.ts'
import type { RequestContext } from '../http/request.ts'
import { streamOf } from '../http/stream.ts'
import type { OpenFile } from '../storage/port.ts'

/** A file under a name, to be saved or, `inline`, to be shown. Closes it, whatever happens. */
export async function deliverFile(
  context: RequestContext,
  file: OpenFile,
  { name, inline }: { name: string; inline: boolean },
): Promise<Response> {
  const { entry } = file
  const address = inline ? undefined : await directAddress(context.request, file, name)
  if (address !== undefined) {
    context.note({ direct: true })
    return sentElsewhere(address)
  }
  let isStreamed = false
  const stream = (start: number, end: number) => {
    isStreamed = true
    return streamOf(context, closing(file, piecesOf(file, end, start)))
  }
  const contentType = inline ? await typeOf(file, name) : 'application/octet-stream'
  // Nothing is awaited from here on: the runtime opens the file anew when it gets the answer, and copies bytes into it.
  const sent = sentOf(file, stream)
  if (sent instanceof Blob) filesOfAnswers.hold(file)
  const response = deliver(context, {
    content: sent,
    size: entry.size,
    seconds: entry.seconds,
    version: entry.version,
    contentType,
    disposition: dispositionOf(inline ? 'inline' : 'attachment', name),
  })
  if (!(sent instanceof Blob || isStreamed)) file.close()
  return response
}

/** In seconds: a download that is begun goes on beyond that. */
const directFor = 300

/** Where the browser fetches the file from, if that is not here. Then the file is closed. */
async function directAddress(request: Request, file: OpenFile, name: string): Promise<string | undefined> {
  if (file.addressFor === undefined || !isDownload(request)) return undefined
  try {
    const disposition = dispositionOf('attachment', name)
    const address = await file.addressFor({ seconds: directFor, disposition, type: 'application/octet-stream' })
    if (address !== undefined) file.close()
    return address
  } catch (error) {
    file.close()
    throw error
  }
}

/**
 * Does a browser save the file, and not a page or a program read it? These may not follow to another site, and parts of files
 * that a client already has are to be those of the version that it got here.
 */
function isDownload({ method, headers }: Request): boolean {
  const isConditional = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since'].some((name) =>
    headers.has(name),
  )
  const [mode, destination] = [headers.get('sec-fetch-mode'), headers.get('sec-fetch-dest')]
  const isBrowser = mode === 'navigate' || mode === 'no-cors'
  return method === 'GET' && !isConditional && isBrowser && (destination === 'document' || destination === 'empty')
}

/** The address is a secret for as long as it holds. */
const sentElsewhere = (address: string): Response =>
  new Response(null, {
    status: 302,
    headers: { location: address, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  })

type Stream = Extract<Delivery['content'], (...range: never[]) => unknown>

/** The runtime sends a file of a disk by itself. One that is kept by another machine or program is read by threads. */
function sentOf(file: OpenFile, stream: Stream): Delivery['content'] {
  const bytes = file.passing?.() ?? file.bytes
  if (bytes !== undefined) return bytes
  return file.content instanceof Blob ? file.content : stream
}

/** Not a generator: one that was never begun does not hear that its reader has left. */
const closing = (file: OpenFile, pieces: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({
    async next() {
      try {
        const next = await pieces.next()
        if (next.done) file.close()
        return next
      } catch (error) {
        file.close()
        throw error
      }
    },
    async return() {
      await pieces.return(undefined)
      file.close()
      return { done: true, value: undefined }
    },
  }),
})

async function typeOf(file: OpenFile, name: string): Promise<string> {
  try {
    return contentTypeOf(name, await file.head())
  } catch (error) {
    file.close()
    throw error
  }
}
