import { type ChecksumAlgorithm, isInside } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { leftOut } from '../archives/left-out.ts'
import { type Member, membersOf } from '../archives/members.ts'
import { behind, relativePath } from '../archives/packing/order.ts'
import { countMembers, planItems, selectionBeside } from '../archives/selected-items.ts'
import { smallSize, withFiles } from '../archives/small-files.ts'
import { stoppable } from '../archives/stream.ts'
import { openIfThere } from '../archives/tar.ts'
import { flatMapInSlices, timeSlices } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'
import { pathOf } from '../jobs/items.ts'
import type { Planned, PlanRequest, Run } from '../jobs/kind.ts'
import type { Result, ResultPlan } from '../jobs/result-file.ts'
import { resultKind } from '../jobs/result-kind.ts'
import { inOnePiece } from '../storage/byte-stream.ts'
import { bytesOf, readable } from '../storage/exact-names.ts'
import { parentOf } from '../storage/path.ts'
import { checksumOf } from './checksum.ts'

interface ChecksumPlan extends ResultPlan {
  readonly algorithm: ChecksumAlgorithm
}

interface ListState {
  /** The path of the last file in the list, below the folder that all have in common. */
  readonly after: string | undefined
  readonly files: number
  readonly bytes: number
  readonly leftOut: readonly string[]
}

/** Writes the checksums of files, and of all files in folders, into a list that `sha256sum -c` and its kin read. */
export const checksumKind = resultKind<ChecksumPlan, ListState>({ plan: planList, write: writeList })

async function planList(scope: Scope, request: PlanRequest): Promise<Planned<ChecksumPlan>> {
  if (request.kind !== 'checksum') throw new Failure('invalid', 'This is no request for checksums')
  const planned = await planItems(scope, request)
  return { ...planned, plan: { ...planned.plan, algorithm: request.algorithm } }
}

/** After so many bytes, files or milliseconds the list is kept as it is: a crash costs no more than to read those again. */
const keptAfter = { bytes: 256 << 20, files: 2000, milliseconds: 5000 }

async function writeList(
  run: Run<ChecksumPlan>,
  { draft, path: except, state: before, keep }: Result<ListState>,
  scope: Scope,
  signal: AbortSignal,
): Promise<void> {
  const { plan } = run
  const selection = await selectionBeside(
    await flatMapInSlices(plan.items, (item) => [pathOf(scope, item)], signal),
    signal,
  )
  const folder = parentOf(except)
  // Tools look for the files from where the list lies, as long as all of them are there.
  const base = selection.paths.every((path) => isInside(path, folder)) ? { ...selection, common: folder } : selection
  const missing = leftOut(before?.leftOut)
  let { after, files = 0, bytes = 0 } = before ?? {}
  let [since, lines] = [performance.now(), [] as Uint8Array[]]
  let kept = { files, bytes }
  const counting = new AbortController()
  void countMembers(run, scope, selection, except, AbortSignal.any([signal, counting.signal]))
  run.progress({ files, bytes })

  const isDue = () =>
    bytes - kept.bytes >= keptAfter.bytes ||
    files - kept.files >= keptAfter.files ||
    performance.now() - since >= keptAfter.milliseconds

  async function store(): Promise<void> {
    await draft.append(inOnePiece(Buffer.concat(lines)))
    lines = []
    await keep({ after, files, bytes, leftOut: missing.names() })
    kept = { files, bytes }
    since = performance.now()
  }

  /** Read beside the event loop. Undefined where it is gone. */
  async function hashLarge(member: Member): Promise<{ hash: string; size: number } | undefined> {
    const file = await openIfThere(scope, member)
    try {
      const told = (done: number) => run.progress({ files, bytes: bytes + done, current: member.path })
      return file && { hash: await checksumOf(file, plan.algorithm, signal, told), size: file.entry.size }
    } finally {
      file?.close()
    }
  }

  function add({ path }: Member, hash: string, size: number): void {
    lines.push(lineOf(hash, relativePath(base, path)))
    after = relativePath(selection, path)
    files += 1
    bytes += size
    run.progress({ files, bytes, current: path })
  }

  try {
    const rest = behind(selection, after)
    const found = membersOf(scope, rest.selection, missing, signal, { tellsWithheld: true })
    const isWanted = (member: Member) => member.entry.kind === 'file' && member.path !== except && rest.isBehind(member)
    const pause = timeSlices(signal)
    const large = async () => 'large' as const
    for await (const group of withFiles(scope, marked(stoppable(found, signal), isWanted), large))
      for (const { item, file } of group) {
        const hashed =
          typeof file === 'object'
            ? { hash: new Bun.CryptoHasher(plan.algorithm).update(file.bytes).digest('hex'), size: file.bytes.length }
            : await hashLarge(item.member)
        if (hashed === undefined) missing.add(item.member.name)
        else add(item.member, hashed.hash, hashed.size)
        if (isDue()) await store()
        const turn = pause()
        if (turn !== undefined) await turn
      }
    signal.throwIfAborted()
    if (files === 0) throw new Failure('not-found', 'No file of it is there, or may be read')
    // Readers of such lists take these lines for comments.
    for (const name of missing.names()) lines.push(Buffer.from(`# left out: ${readable(name).replaceAll('\n', '?')}\n`))
    await draft.append(inOnePiece(Buffer.concat(lines)))
  } finally {
    counting.abort()
  }
}

async function* marked(runs: AsyncIterable<readonly Member[]>, isWanted: (member: Member) => boolean) {
  for await (const run of runs)
    yield run.filter(isWanted).map((member) => ({ member, isRead: member.entry.size <= smallSize }))
}

/** A name that would end the line is escaped, and the line says so by its first character. */
function lineOf(hash: string, name: string): Uint8Array {
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return Buffer.concat([Buffer.from(`${escaped === name ? '' : '\\'}${hash}  `), bytesOf(escaped), Buffer.from('\n')])
}
