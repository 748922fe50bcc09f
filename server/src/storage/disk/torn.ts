import { Failure } from '../../failure.ts'
import type { Identity, Kernel, Stat } from '../linux/kernel.ts'

/** A file that is half written in place, and the draft that holds its whole version. */
export interface Torn {
  readonly draft: string
  /** Writes the whole version over it; false when that must be tried again. */
  mend(): Promise<boolean>
}

/** By identity: the file is torn under each of its names. Not the truth, which is the ledger's, but what guards it. */
const torn = new Map<string, Torn>()
const trials = new Map<Torn, Promise<boolean>>()

/** How many there are in all threads: only the thread that noted one knows it. */
let tornCount = new Int32Array(new SharedArrayBuffer(4))

/** Makes several threads count together. */
export function shareTornCount(count: Int32Array<SharedArrayBuffer>): void {
  tornCount = count
}

export function noteTorn(file: Identity, how: Torn): void {
  if (!torn.has(keyOf(file))) Atomics.add(tornCount, 0, 1)
  torn.set(keyOf(file), how)
}

function dropTorn(key: string): void {
  if (torn.delete(key)) Atomics.sub(tornCount, 0, 1)
}

export const isTorn = (file: Identity): boolean => torn.has(keyOf(file))

/** What is known of it no longer counts; the caller sees to its draft. */
export function forgetTorn(file: Identity): Torn | undefined {
  const known = torn.get(keyOf(file))
  dropTorn(keyOf(file))
  return known
}

/**
 * The facts of an open file that is about to be read: one that is half written is mended first, and one that cannot be
 * mended yet is refused.
 */
export function wholeStat(kernel: Kernel, fd: number, stat: Stat): Stat | Promise<Stat> {
  const known = torn.size === 0 ? undefined : torn.get(keyOf(stat))
  return known === undefined ? stat : statWhenMended(kernel, fd, keyOf(stat), known)
}

async function statWhenMended(kernel: Kernel, fd: number, key: string, known: Torn): Promise<Stat> {
  if (await isMended(key, known)) return kernel.statOpen(fd)
  throw new Failure('unavailable', 'The file was being written when something broke, and cannot be mended yet')
}

/** Tries all that are torn once more. */
export async function mendTorn(): Promise<void> {
  for (const [key, known] of [...torn]) await isMended(key, known)
}

/** One trial at a time, however many ask. */
async function isMended(key: string, known: Torn): Promise<boolean> {
  const trial = trials.get(known) ?? known.mend().finally(() => trials.delete(known))
  trials.set(known, trial)
  const isWhole = await trial
  if (isWhole && torn.get(key) === known) dropTorn(key)
  // A later version may have come meanwhile.
  return isWhole || torn.get(key) === undefined
}

export const keyOf = ({ device, inode }: Identity): string => `${device}:${inode}`
