import { type BatchHead, type BatchOutcome, operationHeader } from '@filestead/contract'
import { perSession } from '../../state/session-scope.ts'
import type { FileJob } from './queue.ts'
import { metadataOf, sendRequest } from './request.ts'
import { judge } from './retries.ts'

/** So many batches are on their way at once: while the server writes one, the next arrives. */
export const batchesAtOnce = 2

/** Until a server, or a proxy before it, does not know them. */
const known = perSession(() => ({ takesBatches: true }))

export const takesBatches = (): boolean => known().takesBatches

interface BatchSending {
  readonly signal: AbortSignal
  /** How many bytes of each file were sent. */
  onProgress(sent: readonly number[]): void
}

/** The paths of files that have arrived, and of those that were refused; of all others nothing is known. */
interface KnownFiles {
  readonly arrived: ReadonlySet<string>
  readonly refused: ReadonlySet<string>
}

export const nothingKnown: KnownFiles = { arrived: new Set(), refused: new Set() }

/** Sends small files of one act in one request. Rejects when `signal` is aborted. */
export async function sendBatch(
  jobs: readonly FileJob[],
  { signal, onProgress }: BatchSending,
  send = sendRequest,
): Promise<KnownFiles> {
  const heads = jobs.map((job) => `${JSON.stringify(headOf(job))}\n`)
  const answer = await send({
    method: 'POST',
    isOverridden: false,
    address: 'uploads',
    headers: {
      'Content-Type': 'application/octet-stream',
      ...(jobs[0]?.batch !== undefined && { [operationHeader]: jobs[0].batch }),
    },
    body: new Blob(jobs.flatMap(({ file }, index) => [heads[index] ?? '', file])),
    signal,
    onProgress: (bytes) => onProgress(sentOf(jobs, heads, bytes)),
  })
  if (['smaller', 'other-way'].includes(judge({ ...answer, code: null }))) known().takesBatches = false
  if (!answer.isOwn || answer.status !== 200) return nothingKnown
  const outcomes = outcomesIn(answer.body)
  const pathsOf = (isWanted: (status: number) => boolean) =>
    new Set(outcomes.flatMap(({ path, status }) => (path !== undefined && isWanted(status) ? [path] : [])))
  const [arrived, refused] = [pathsOf((status) => status === 201), pathsOf((status) => status !== 201)]
  // Two files of one path: which of them has arrived is not told.
  return { arrived: arrived.difference(refused), refused: refused.difference(arrived) }
}

const headOf = ({ path, size, override, file }: FileJob): BatchHead => ({
  path,
  length: size,
  override,
  metadata: metadataOf(file),
})

/** One JSON object a line; what is none is of no use. */
const outcomesIn = (text: string): BatchOutcome[] =>
  text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as BatchOutcome]
    } catch {
      return []
    }
  })

/** A head is a little longer than it looks where names are not plain: progress does not mind. */
function sentOf(jobs: readonly FileJob[], heads: readonly string[], bytes: number): number[] {
  let rest = bytes
  return jobs.map(({ size }, index) => {
    rest -= heads[index]?.length ?? 0
    const sent = Math.max(0, Math.min(size, rest))
    rest -= size
    return sent
  })
}
