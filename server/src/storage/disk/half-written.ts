import { Failure } from '../../failure.ts'
import type { Identity, Kernel, Stat } from '../linux/kernel.ts'
import { isBeingOverwritten, statWhenWritten } from './write-lock.ts'

/** A file that is half written in place, and the draft that holds its whole version. */
export interface HalfWritten {
  readonly draft: string
  /** Writes the whole version over it; false when that must be tried again. */
  repair(): Promise<boolean>
}

/** By identity: the file is half written under each of its names. Not the truth, which is the ledger's, but what guards it. */
const halfWritten = new Map<string, HalfWritten>()
const repairs = new Map<HalfWritten, Promise<boolean>>()

type Counter = Int32Array<SharedArrayBuffer>

/** How many there are, for the event loop: only the thread that noted one knows it. */
let counters: readonly Counter[] = []

/** For the count of all threads together, and for that of this one. */
export function countHalfWritten(...shared: readonly Counter[]): void {
  counters = shared
}

export function noteHalfWritten(file: Identity, how: HalfWritten): void {
  if (!halfWritten.has(keyOf(file))) for (const counter of counters) Atomics.add(counter, 0, 1)
  halfWritten.set(keyOf(file), how)
}

function dropHalfWritten(key: string): void {
  if (halfWritten.delete(key)) for (const counter of counters) Atomics.sub(counter, 0, 1)
}

export const isHalfWritten = (file: Identity): boolean => halfWritten.has(keyOf(file))

/** What is known of it no longer counts; the caller sees to its draft. */
export function forgetHalfWritten(file: Identity): HalfWritten | undefined {
  const known = halfWritten.get(keyOf(file))
  dropHalfWritten(keyOf(file))
  return known
}

/**
 * The facts of an open file that is about to be read: one that is half written is repaired first, one that cannot be
 * repaired yet is refused, and one that is being overwritten is waited for.
 */
export function wholeStat(kernel: Kernel, fd: number, stat: Stat): Stat | Promise<Stat> {
  const known = halfWritten.size === 0 ? undefined : halfWritten.get(keyOf(stat))
  if (known !== undefined) return statWhenRepaired(kernel, fd, keyOf(stat), known)
  return isBeingOverwritten(fd, stat) ? statWhenWritten(kernel, fd) : stat
}

async function statWhenRepaired(kernel: Kernel, fd: number, key: string, known: HalfWritten): Promise<Stat> {
  if (await isRepaired(key, known)) return kernel.statOpen(fd)
  throw new Failure('unavailable', 'The file was being written when something broke, and cannot be mended yet')
}

/** Tries all that are half written once more. */
export async function repairHalfWritten(): Promise<void> {
  for (const [key, known] of [...halfWritten]) await isRepaired(key, known)
}

/** One trial at a time, however many ask. */
async function isRepaired(key: string, known: HalfWritten): Promise<boolean> {
  const trial = repairs.get(known) ?? known.repair().finally(() => repairs.delete(known))
  repairs.set(known, trial)
  const isWhole = await trial
  if (isWhole && halfWritten.get(key) === known) dropHalfWritten(key)
  // A later version may have come meanwhile.
  return isWhole || halfWritten.get(key) === undefined
}

export const keyOf = ({ device, inode }: Identity): string => `${device}:${inode}`
