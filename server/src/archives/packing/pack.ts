import type { Scope } from '../../access/scope.ts'
import { prefetch } from '../../concurrency/prefetch.ts'
import { timeSlices } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import type { VirtualPath } from '../../storage/path.ts'
import type { OpenDraft } from '../../storage/port.ts'
import { blocksAtOnce } from '../codecs/packing.ts'
import { passingPiecesOf } from '../content.ts'
import type { LeftOut } from '../left-out.ts'
import { type Member, membersOf } from '../members.ts'
import type { Selection } from '../selection.ts'
import { smallSize, withFiles } from '../small-files.ts'
import { stoppable } from '../stream.ts'
import { openIfThere, openWhole } from '../tar.ts'
import { absolutePath, behind, relativePath } from './order.ts'
import { nothing, type Packer, type PackState, type Part } from './parts.ts'

/** A crash costs no more than to pack again what came behind the last step. */
const usualSteps = { bytes: 64 << 20, members: 2000, milliseconds: 5000, longFile: 16 << 20 }

/** What is packed, and who is told how far it is. */
export interface Packing {
  readonly scope: Scope
  readonly signal: AbortSignal
  readonly selection: Selection
  readonly leftOut: LeftOut
  /** Never a member: the archive itself. */
  readonly except: VirtualPath
  /** After how much the archive is kept as it is; a file of more bytes than `longFile` is kept in parts. */
  readonly steps?: typeof usualSteps
  progress(done: { files: number; bytes: number; current?: VirtualPath }): void
}

/** Packs all that is still to come. Parts are made ahead of the last one that is kept, but the end of the archive needs all. */
export async function packRest(
  packing: Packing,
  packer: Packer,
  draft: OpenDraft,
  state: PackState,
  keep: (state: PackState) => Promise<void>,
): Promise<void> {
  let { count } = state
  await writeParts(draft, partsOf(packing, packer, state), async (marked) => {
    await keep(marked)
    count = marked.count
  })
  packing.signal.throwIfAborted()
  await writeParts(draft, packer.finish(count), async () => {})
}

/** The members that the archive still needs, with marks from which it can be continued. The last mark is behind all of them. */
async function* partsOf(packing: Packing, packer: Packer, state: PackState): AsyncGenerator<Part> {
  const { scope, signal, selection, leftOut, except, progress, steps = usualSteps } = packing
  let { after, count, files, bytes } = state
  let since = { bytes, count, time: performance.now() }

  const isDue = () =>
    bytes - since.bytes >= steps.bytes ||
    count - since.count >= steps.members ||
    performance.now() - since.time >= steps.milliseconds

  function* mark(more: () => Partial<PackState> = () => ({})): Generator<Part> {
    yield* packer.flush()
    const kept = { after, count, files, bytes, leftOut: leftOut.names().slice() }
    since = { bytes, count, time: performance.now() }
    yield { mark: () => ({ ...kept, ...more() }) }
  }

  const done = (member: Member) => {
    after = relativePath(selection, member.path)
    count += 1
    if (member.entry.kind === 'file') files += 1
    progress({ files, bytes, current: member.path })
  }

  async function* large(member: Member, resumed?: PackState['part']): AsyncGenerator<Part> {
    const file = await openIfThere(scope, member)
    if (file === undefined) return leftOut.add(member.name)
    try {
      const { entry } = file
      const { size, version } = entry
      // Looked at before the archive was continued; tried again, the file is packed from its start.
      if (resumed !== undefined && resumed.version !== version)
        throw new Failure('changed-meanwhile', `${JSON.stringify(entry.name)} was replaced while it was packed`)
      if (resumed === undefined) yield* packer.begin(member, entry)
      else packer.resume(member, entry, resumed)
      let at = resumed?.done ?? 0
      for await (const piece of stoppable(passingPiecesOf(file, size, at), signal)) {
        yield* packer.piece(piece)
        at += piece.length
        bytes += piece.length
        progress({ files, bytes, current: member.path })
        if (size <= steps.longFile || !isDue()) continue
        yield* packer.flush()
        const [path, late, reached] = [relativePath(selection, member.path), packer.mark(), at]
        yield* mark(() => ({ part: { ...late(), path, version, size, done: reached } }))
      }
      yield* packer.end()
    } finally {
      file.close()
    }
    done(member)
  }

  if (state.isComplete) return
  const { part } = state
  if (part !== undefined) {
    const path = absolutePath(selection, part.path)
    for await (const [member] of membersOf(
      scope,
      { paths: [path], common: selection.common, isOfSeveral: true },
      leftOut,
      signal,
    ))
      if (member !== undefined) yield* large(member, part)
  }
  const rest = behind(selection, after)
  const found = membersOf(scope, rest.selection, leftOut, signal, { tellsWithheld: true })
  const wanted = (member: Member) => rest.isBehind(member) && member.path !== except
  const items = marked(stoppable(found, signal), wanted)
  const pause = timeSlices(signal)
  for await (const group of withFiles(scope, items, ({ member }) => openWhole(scope, member)))
    for (const { item, file } of group) {
      const { member, isRead } = item
      if (file === 'gone') leftOut.add(member.name)
      else if (isRead ? file === 'large' : isLarge(member)) yield* large(member)
      else {
        const [entry, content] = typeof file === 'object' ? [file.entry, file.bytes] : [member.entry, nothing]
        yield* packer.whole(member, entry, content)
        bytes += content.length
        done(member)
      }
      if (isDue()) yield* mark()
      const turn = pause()
      if (turn !== undefined) await turn
    }
  if (count === 0) throw new Failure('not-found', 'Nothing of it is there, or may be read')
  const last = leftOut.member()
  if (last?.text !== undefined) {
    yield* packer.whole(last, last.entry, last.text)
    count += 1
  }
  yield* mark(() => ({ isComplete: true }))
}

async function* marked(runs: AsyncIterable<readonly Member[]>, isWanted: (member: Member) => boolean) {
  for await (const run of runs)
    yield run.filter(isWanted).map((member) => ({ member, isRead: member.entry.kind === 'file' && !isLarge(member) }))
}

const isLarge = ({ entry }: Member): boolean => entry.kind === 'file' && entry.size > smallSize

/** Writes parts to a draft. What a mark tells is kept once everything before it is written. */
async function writeParts(
  draft: OpenDraft,
  parts: AsyncIterable<Part>,
  keep: (state: PackState) => Promise<void>,
): Promise<void> {
  const packed = prefetch(parts, async (part) => (await part.work?.()) ?? nothing, blocksAtOnce)
  let marked: PackState | undefined
  /** Up to the next mark. */
  async function* section(): AsyncGenerator<Uint8Array> {
    marked = undefined
    let at = draft.size
    for (let next = await packed.next(); !next.done; next = await packed.next()) {
      const { item, result } = next.value
      for (const bytes of item.emit?.(result, at) ?? []) {
        at += bytes.length
        if (bytes.length > 0) yield bytes
      }
      marked = item.mark?.()
      if (marked !== undefined) return
    }
  }
  try {
    for (;;) {
      await draft.append(section())
      if (marked === undefined) return
      await keep(marked)
    }
  } finally {
    await packed.return(undefined)
  }
}
