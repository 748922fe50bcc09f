import { createHash } from 'node:crypto'
import type { Scope } from '../../access/scope.ts'
import type { Archive } from '../archive.ts'
import type { LeftOut } from '../left-out.ts'
import { isUnavailable, type Member } from '../members.ts'
import { batched, stoppable } from '../stream.ts'
import { centralLength, ending, localLength, recordOf, sizeOf } from './records.ts'
import { bytesToReread, everything, type Span, zipOf } from './zip.ts'

type PlannedZip = Pick<Archive, 'whole' | 'bytes' | 'close'>

/**
 * How many members the plans in memory may have, of all archives together and of those of one client: a client that
 * starts archives and does not read them holds their plans, and leaves room for the plans of others.
 */
export interface PlanBudget {
  /** Takes one member; false where there is no room. */
  take(client: string): boolean
  release(client: string, count: number): void
}

export function planBudget(most = 200_000, mostOfClient = 100_000): PlanBudget {
  const taken = new Map<string, number>()
  let total = 0
  return {
    take(client) {
      const ofClient = taken.get(client) ?? 0
      if (total >= most || ofClient >= mostOfClient) return false
      total += 1
      taken.set(client, ofClient + 1)
      return true
    },
    release(client, count) {
      total -= count
      const left = (taken.get(client) ?? 0) - count
      if (left > 0) taken.set(client, left)
      else taken.delete(client)
    },
  }
}

/** Shared by all archives of this process. */
const commonBudget = planBudget()

interface PlanOptions {
  signal?: AbortSignal | undefined
  /** For whom the plan is held. */
  client: string
  budget?: PlanBudget
}

/**
 * Finds everything that goes into a zip before it begins, so that its length is known and a part can be asked for. Where
 * the budget does not suffice, the archive is made in one go and its length stays unknown.
 */
export async function plannedZip(
  scope: Scope,
  found: AsyncGenerator<Member>,
  leftOut: LeftOut,
  { signal, client, budget = commonBudget }: PlanOptions,
): Promise<PlannedZip> {
  const members = readable(scope, found, leftOut)
  const planned: Member[] = []
  const close = () => budget.release(client, planned.splice(0).length)
  const { add, plan } = planning()
  try {
    while (budget.take(client)) {
      const { done, value } = await members.next().catch((error) => {
        budget.release(client, 1)
        throw error
      })
      if (done) {
        budget.release(client, 1)
        return { ...zipInParts(scope, planned, plan(), signal), close }
      }
      planned.push(value)
      add(value)
    }
  } catch (error) {
    close()
    throw error
  }
  return { bytes: () => batched(stoppable(zipOf(scope, chain(planned, members)), signal)), close }
}

function zipInParts(scope: Scope, members: readonly Member[], plan: Plan, signal?: AbortSignal): PlannedZip {
  const { length, version, directory } = plan
  const spanOf = (part: { start: number; end: number }): Span => ({ ...part, hasDirectory: part.end > directory })
  return {
    whole: { length, version, toReread: (part) => bytesToReread(members, spanOf(part)) },
    bytes: (part) => batched(stoppable(zipOf(scope, members, part ? spanOf(part) : everything), signal)),
  }
}

/** Once the length is announced no file can be left out, so one that may be unreadable is opened now. */
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

/** What is known of a zip before its first byte, because nothing in it is compressed. */
interface Plan {
  readonly length: number
  /** Where the directory starts, which needs the checksum of every file. */
  readonly directory: number
  /** Changes when any name, size, time, mode or identity does. */
  readonly version: string
}

/** Adds up the members as they are found. */
export function planning() {
  const hash = createHash('sha256')
  let [count, offset, length] = [0, 0, 0]
  return {
    add(member: Member): void {
      const { mode, seconds, nanoseconds, id, version } = member.entry
      hash.update(`${member.name}\0${[sizeOf(member.entry), mode, seconds, nanoseconds, id ?? version].join()}\n`)
      const record = recordOf(member)
      count += 1
      length += centralLength(record, offset)
      offset += localLength(record)
    },
    plan: (): Plan => ({
      length: offset + length + ending(count, length, offset).length,
      directory: offset,
      version: `"${hash.digest('hex').slice(0, 40)}"`,
    }),
  }
}
