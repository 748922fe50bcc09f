import type { PackFormat } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { flatMapInSlices } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'
import { pathOf } from '../jobs/items.ts'
import type { Planned, PlanRequest, Run } from '../jobs/kind.ts'
import type { Result, ResultPlan } from '../jobs/result-file.ts'
import { resultKind } from '../jobs/result-kind.ts'
import { inOnePiece } from '../storage/byte-stream.ts'
import type { VirtualPath } from '../storage/path.ts'
import { leftOut } from './left-out.ts'
import { isUnavailable } from './members.ts'
import { absolutePath } from './packing/order.ts'
import { packRest } from './packing/pack.ts'
import type { Packer, PackState } from './packing/parts.ts'
import { tarPacker } from './packing/tar-packer.ts'
import { zipPacker } from './packing/zip-packer.ts'
import { countMembers, planItems, selectionBeside } from './selected-items.ts'

interface CompressPlan extends ResultPlan {
  readonly format: PackFormat
}

/** Packs entries into an archive on the server. */
export const compressKind = resultKind<CompressPlan, PackState>({
  plan: planCompress,
  write: pack,
  hasSide: ({ format }) => format === 'zip',
})

async function planCompress(scope: Scope, request: PlanRequest): Promise<Planned<CompressPlan>> {
  if (request.kind !== 'compress') throw new Failure('invalid', 'This is no request to compress')
  const planned = await planItems(scope, request)
  return { ...planned, plan: { ...planned.plan, format: request.format } }
}

async function pack(
  run: Run<CompressPlan>,
  { draft, side, path: except, state: before, keep }: Result<PackState>,
  scope: Scope,
  signal: AbortSignal,
): Promise<void> {
  const selection = await selectionBeside(
    await flatMapInSlices(run.plan.items, (item) => [pathOf(scope, item)], signal),
    signal,
  )
  const state = await usableState(before)
  const missing = leftOut(state.leftOut)
  const headers: Uint8Array[] = []
  const counting = new AbortController()
  void countMembers(run, scope, selection, except, AbortSignal.any([signal, counting.signal]))
  run.progress(state)
  try {
    const packer = packerOf()
    const packing = { scope, signal, selection, leftOut: missing, except, progress: run.progress.bind(run) }
    await packRest(packing, packer, draft, state, async (kept) => {
      // The directory of a zip is written with what it tells of.
      await side?.append(inOnePiece(Buffer.concat(headers.splice(0))))
      await keep(kept)
    })
  } finally {
    counting.abort()
  }

  function packerOf(): Packer {
    const { format } = run.plan
    if (format !== 'zip') return tarPacker(format)
    if (side === undefined) throw new Error('A zip needs a second draft')
    return zipPacker({ add: (header) => void headers.push(header), draft: side })
  }

  /** A file of which a part is packed is packed from its start if it is another one by now. */
  async function usableState(noted: PackState | undefined): Promise<PackState> {
    if (noted === undefined) return { count: 0, files: 0, bytes: 0, leftOut: [] }
    const { part, ...rest } = noted
    if (part === undefined || (await hasVersion(scope, absolutePath(selection, part.path), part.version))) return noted
    await draft.truncate(part.start)
    const usable = { ...rest, bytes: noted.bytes - part.done }
    await keep(usable)
    return usable
  }
}

async function hasVersion(scope: Scope, path: VirtualPath, version: string): Promise<boolean> {
  try {
    const file = await scope.open(path)
    file.close()
    return file.entry.version === version
  } catch (error) {
    if (isUnavailable(error)) return false
    throw error
  }
}
