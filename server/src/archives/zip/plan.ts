import { createHash } from 'node:crypto'
import { identityOf } from '../../access/identity.ts'
import type { Scope } from '../../access/scope.ts'
import { parentOf, type VirtualPath } from '../../storage/path.ts'
import type { Archive } from '../archive.ts'
import type { LeftOut } from '../left-out.ts'
import { isUnavailable, type Member } from '../members.ts'
import { batched, stoppable } from '../stream.ts'
import { checksumCache } from './checksums.ts'
import { centralLength, ending, localLength, recordOf, sizeOf } from './records.ts'
import { bytesToReread, everything, type Span, zipOf } from './zip.ts'

type PlannedZip = Pick<Archive, 'whole' | 'bytes' | 'close'>

/**
 * How many members the plans in memory may have, of all archives together and of those of one client: a client that
 * starts archives and does not read them holds their plans, and leaves room for the plans of others.
 */
export interface PlanBudget {
  /** Takes so many members, or none where there is no room for all. */
  take(client: string, count: number): boolean
  release(client: string, count: number): void
}

export function planBudget(most = 200_000, mostOfClient = 100_000): PlanBudget {
  const taken = new Map<string, number>()
  let total = 0
  return {
    take(client, count) {
      const ofClient = (taken.get(client) ?? 0) + count
      if (total + count > most || ofClient > mostOfClient) return false
      total += count
      taken.set(client, ofClient)
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
const commonChecksums = checksumCache()

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
  found: AsyncGenerator<readonly Member[]>,
  leftOut: LeftOut,
  { signal, client, budget = commonBudget }: PlanOptions,
): Promise<PlannedZip> {
  const runs = readable(scope, found, leftOut)
  const planned: (readonly Member[])[] = []
  const close = () => budget.release(client, planned.splice(0).flat().length)
  const { add, plan } = planning(scope)
  try {
    for (;;) {
      const { done, value: run } = await runs.next()
      if (done) return { ...zipInParts(scope, planned, plan(), signal), close }
      if (!budget.take(client, run.length)) {
        const all = chain([...planned, run], runs)
        return { bytes: () => batched(stoppable(zipOf(scope, all), signal)), close }
      }
      planned.push(run)
      add(run)
    }
  } catch (error) {
    close()
    throw error
  }
}

function zipInParts(scope: Scope, runs: readonly (readonly Member[])[], plan: Plan, signal?: AbortSignal): PlannedZip {
  const { length, version, directory, count } = plan
  const checksums = commonChecksums(version, count)
  const spanOf = (part: { start: number; end: number }): Span => ({ ...part, hasDirectory: part.end > directory })
  return {
    whole: { length, version, toReread: (part) => bytesToReread(runs, spanOf(part), checksums) },
    bytes: (part) => batched(stoppable(zipOf(scope, runs, part ? spanOf(part) : everything, checksums), signal)),
  }
}

/** Once the length is announced no file can be left out, so one that may be unreadable is opened now. */
async function* readable(
  scope: Scope,
  runs: AsyncIterable<readonly Member[]>,
  leftOut: LeftOut,
): AsyncGenerator<readonly Member[], void> {
  for await (const run of runs) {
    const unreadable = await unreadableAmong(scope, run)
    for (const { name } of unreadable) leftOut.add(name)
    yield unreadable.size === 0 ? run : run.filter((member) => !unreadable.has(member))
  }
  const last = leftOut.member()
  if (last !== undefined) yield [last]
}

/** A file of which a head can be read is readable, and the heads of a folder are read at once. */
async function unreadableAmong(scope: Scope, run: readonly Member[]): Promise<ReadonlySet<Member>> {
  const unreadable = new Set<Member>()
  const uncertain = Map.groupBy(
    run.filter((member) => !isSurelyReadable(member)),
    ({ path }) => parentOf(path),
  )
  for (const [folder, members] of uncertain) {
    const heads = await headsIn(scope, folder, members)
    for (const member of members)
      if (!heads.get(member.entry.name)?.length && !(await canOpen(scope, member))) unreadable.add(member)
  }
  return unreadable
}

async function headsIn(
  scope: Scope,
  folder: VirtualPath,
  members: readonly Member[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const plain = members.map(({ entry }) => entry).filter(({ isLink, exact }) => !isLink && exact === undefined)
  try {
    return await scope.peek(folder, plain)
  } catch (error) {
    if (isUnavailable(error)) return new Map()
    throw error
  }
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

async function* chain<T>(first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first
  yield* rest
}

/** What is known of a zip before its first byte, because nothing in it is compressed. */
interface Plan {
  /** Of members. */
  readonly count: number
  readonly length: number
  /** Where the directory starts, which needs the checksum of every file. */
  readonly directory: number
  /** Changes when any name, size, time, mode or identity does. */
  readonly version: string
}

/** Adds up the members as they are found. */
export function planning(scope: Pick<Scope, 'locate'>) {
  const hash = createHash('sha256')
  let [count, offset, length] = [0, 0, 0]
  return {
    add(run: readonly Member[]): void {
      let text = ''
      for (const member of run) {
        const { path, name, entry } = member
        const { mode, seconds, nanoseconds } = entry
        const identity = member.text === undefined ? identityOf(scope, path, entry) : entry.version
        text += `${name}\0${sizeOf(entry)},${mode},${seconds},${nanoseconds},${identity}\n`
        const record = recordOf(member)
        count += 1
        length += centralLength(record, offset)
        offset += localLength(record)
      }
      hash.update(text)
    },
    plan: (): Plan => ({
      count,
      length: offset + length + ending(count, length, offset).length,
      directory: offset,
      version: `"${hash.digest('hex').slice(0, 40)}"`,
    }),
  }
}
