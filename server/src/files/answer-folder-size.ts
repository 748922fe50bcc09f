import type { FolderSize } from '@filestead/contract'
import { type Limits, lasting } from '../access/limits.ts'
import type { UserContext } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { plainHeaders } from '../http/answers.ts'
import { streamOf } from '../http/stream.ts'
import { holdingSlot } from '../http/stream-slot.ts'
import type { VirtualPath } from '../storage/path.ts'
import { listFlat, requireFolder } from './flat.ts'

/** How often the sum so far is sent, in milliseconds. Shorter than any proxy waits. */
const every = 300

/** One JSON object a line. Counting takes a place among the searches: both read a whole tree. */
export async function answerFolderSize(
  context: UserContext,
  { searches }: Pick<Limits, 'searches'>,
): Promise<Response> {
  const { scope, path, request } = context
  await requireFolder(scope, path)
  if (request.method === 'HEAD')
    return new Response(null, { headers: { ...plainHeaders, 'transfer-encoding': 'chunked' } })
  const turn = await lasting(searches, context)
  const pieces = holdingSlot(linesOf(sumBelow(scope, path, turn.signal)), turn)
  return new Response(streamOf(context, pieces, turn.signal), { headers: plainHeaders })
}

/** The sums as they grow, and the last one, of everything below a folder that the actor sees. */
async function* sumBelow(scope: Scope, folder: VirtualPath, signal: AbortSignal): AsyncGenerator<FolderSize> {
  const sum = { bytes: 0, files: 0, folders: 0 }
  let told = performance.now()
  for await (const run of listFlat(scope, folder, signal)) {
    for (const { isDir, size } of run)
      if (isDir) sum.folders += 1
      else {
        sum.files += 1
        sum.bytes += size
      }
    if (performance.now() - told < every) continue
    told = performance.now()
    yield { ...sum, isWhole: false }
  }
  yield { ...sum, isWhole: true }
}

async function* linesOf(sums: AsyncIterable<FolderSize>): AsyncGenerator<string> {
  for await (const sum of sums) yield `${JSON.stringify(sum)}\n`
}
