import type { Scope } from '../../access/scope.ts'
import type { Archive } from '../archive.ts'
import { batched } from '../batches.ts'
import type { LeftOut } from '../left-out.ts'
import { isUnavailable, type Member } from '../members.ts'
import { stoppable } from '../stoppable.ts'
import { type Plan, planning } from './plan.ts'
import { bytesToReread, everything, type Span, zipOf } from './zip.ts'

type Planned = Pick<Archive, 'whole' | 'bytes' | 'close'>

/** More than these are not held in memory: the archive is then made in one go, and its length stays unknown. */
const mostPlanned = 100_000

/** Of all archives together: clients that take nothing would hold one plan each. */
const mostPlannedInAll = 200_000
let plannedInAll = 0

/** Looks for everything that goes into a zip before it begins, so that its length is known and a part can be asked for. */
export async function plannedZip(
  scope: Scope,
  found: AsyncGenerator<Member>,
  leftOut: LeftOut,
  signal?: AbortSignal,
  most = mostPlanned,
): Promise<Planned> {
  const members = readable(scope, found, leftOut)
  const planned: Member[] = []
  const close = () => {
    plannedInAll -= planned.splice(0).length
  }
  const { add, plan } = planning()
  try {
    while (planned.length < most && plannedInAll < mostPlannedInAll) {
      const { done, value } = await members.next()
      if (done) return { ...whole(scope, planned, plan(), signal), close }
      planned.push(value)
      plannedInAll += 1
      add(value)
    }
  } catch (error) {
    close()
    throw error
  }
  return { bytes: () => batched(stoppable(zipOf(scope, chain(planned, members)), signal)), close }
}

function whole(scope: Scope, members: readonly Member[], plan: Plan, signal?: AbortSignal): Planned {
  const { length, version, directory } = plan
  const spanOf = (part: { start: number; end: number }): Span => ({ ...part, hasDirectory: part.end > directory })
  return {
    whole: { length, version, toReread: (part) => bytesToReread(members, spanOf(part)) },
    bytes: (part) => batched(stoppable(zipOf(scope, members, part ? spanOf(part) : everything), signal)),
  }
}

/** Once its length is announced a file cannot be left out any more, so a doubtful one is tried now. */
async function* readable(scope: Scope, members: AsyncIterable<Member>, leftOut: LeftOut): AsyncGenerator<Member, void> {
  for await (const member of members)
    if (isSurelyReadable(member) || (await canOpen(scope, member))) yield member
    else leftOut.add(member.name)
  const last = leftOut.member()
  if (last !== undefined) yield last
}

/** Readable for all, and under a path that the system takes in one call. */
const isSurelyReadable = ({ path, entry }: Member): boolean =>
  entry.kind === 'folder' || ((entry.mode & 0o444) === 0o444 && path.length < shortEnough)

/** Characters; each takes at most three bytes, and the system takes 4,096 of them. */
const shortEnough = 1300

async function canOpen(scope: Scope, { path }: Member): Promise<boolean> {
  try {
    const file = await scope.open(path)
    file.close()
    return true
  } catch (error) {
    if (isUnavailable(error)) return false
    throw error
  }
}

async function* chain(first: Iterable<Member>, rest: AsyncIterable<Member>): AsyncGenerator<Member> {
  yield* first
  yield* rest
}
