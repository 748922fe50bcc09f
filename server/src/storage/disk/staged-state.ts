import { readFileSync } from 'node:fs'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure } from '../../failure.ts'
import { succeeds, tolerating } from '../linux/errno.ts'
import { type Kernel, O } from '../linux/kernel.ts'
import { isByteLocked, isFreeToLock } from '../linux/locks.ts'
import { draftPrefix, partsSuffix } from '../path.ts'
import type { BornIdentity } from './birth.ts'
import { dropName, moveName } from './displace.ts'
import { discard } from './drafts.ts'
import { sync } from './sync.ts'
import type { NameAt } from './target.ts'
import { untilFree } from './write-lock.ts'

/**
 * What is staged under an id lies beside its target as two hidden entries: the draft, which becomes the target and in which
 * everything is whole, and a folder with what is known about it and with files that are not whole yet.
 */
export interface Staged {
  readonly kernel: Kernel
  /** In the folder of the target. */
  readonly draft: NameAt & { readonly name: string }
  /** The open folder of the parts. */
  readonly parts: number
  /** Undefined where nothing has been written yet, or what was written is lost. */
  readonly state: StagedState | undefined
  /** Writes what has changed of it. With `isLasting` it survives a power cut. */
  note(changes: Partial<StagedState>, options?: { isLasting?: boolean }): Promise<void>
  close(): void
}

export interface StagedState {
  /** `staging`: the draft grows. `publishing`: it is whole, and gets its name, or what is in it does. `done`: nothing is left to do. */
  readonly phase: 'staging' | 'publishing' | 'done'
  /** The kernel that ran then: after a power cut not all that was written need be there. */
  readonly boot: string
  /** All that is in the draft is safe. */
  readonly isSynced: boolean
  readonly done: { readonly files: number; readonly bytes: number }
  /** While it is published: the draft as it was, and whether it is merged with what is there. */
  readonly publishing?: { readonly draft: BornIdentity; readonly isMerge: boolean } | undefined
  /** While the source of a move may be removed: what of it is in the copy. */
  readonly copied?: CopiedFacts | undefined
}

/** Tells of what is still in the source whether it is in the copy, too; see `copiedSince`. */
export interface CopiedFacts {
  readonly root: BornIdentity
  readonly since: number
  readonly files: readonly (readonly [inode: number, changed: number])[]
  readonly folders: readonly number[]
  readonly stays: readonly number[]
}

const [stateName, nextStateName, lockName] = ['state', 'state.next', 'lock']

export const stagedName = (id: string): string => {
  if (id.includes('/') || !id.includes('.')) throw new Failure('invalid', 'the id of what is staged is no such id')
  return `${draftPrefix}${id}`
}

/**
 * Undefined where nothing was staged, or what was is forgotten. One that is to be changed is held: another process may take
 * this one for dead and go on with the same job.
 */
export async function findStaged(
  kernel: Kernel,
  folder: number,
  id: string,
  { isHeld = false, signal }: { isHeld?: boolean; signal?: Cancellation | undefined } = {},
): Promise<Staged | undefined> {
  const name = stagedName(id)
  const parts = tolerating(['ENOENT'], () =>
    kernel.open(folder, `${name}${partsSuffix}`, O.RDONLY | O.DIRECTORY | O.NOFOLLOW),
  )
  if (parts === undefined) return undefined
  const open = [parts]
  const close = () => open.forEach((fd) => void kernel.close(fd))
  try {
    if (isHeld) open.push(await lockIn(kernel, parts, signal))
    return stagedIn(kernel, parts, { folder, name }, await readNote(kernel, parts, stateName), close)
  } catch (error) {
    close()
    throw error
  }
}

/**
 * The kernel lets go of it with the descriptor, however the process ends. A process that stood still until others took it for
 * dead lets go when it finds out, so it is waited for. It may stand still for long, which says nothing about the work: a job
 * waits on, as for a disk that is away.
 */
async function lockIn(kernel: Kernel, parts: number, signal: Cancellation | undefined): Promise<number> {
  const fd = kernel.open(parts, lockName, O.RDWR | O.CREAT | O.NOFOLLOW | O.NONBLOCK, 0o600)
  try {
    const held = new Failure('unavailable', 'Another server still holds what was staged, and does not answer')
    await untilFree(() => isFreeToLock(fd, 0), held, signal)
    return fd
  } catch (error) {
    kernel.close(fd)
    throw error
  }
}

/** Is a job at work on what this name in an open folder is a part of, in whichever thread or process? */
export function isBeingStaged(kernel: Kernel, folder: number, name: string): boolean {
  const parts = name.endsWith(partsSuffix) ? name : `${name}${partsSuffix}`
  const fd = tolerating(['ENOENT', 'ENOTDIR', 'ELOOP'], () =>
    kernel.openBeneath(folder, `${parts}/${lockName}`, O.RDWR | O.NOFOLLOW | O.NONBLOCK),
  )
  if (fd === undefined) return false
  try {
    return isByteLocked(fd, 0) === true
  } finally {
    kernel.close(fd)
  }
}

export async function openStaged(
  kernel: Kernel,
  folder: number,
  id: string,
  signal: Cancellation | undefined,
): Promise<Staged> {
  succeeds(['EEXIST'], () => kernel.makeFolder(folder, `${stagedName(id)}${partsSuffix}`, 0o700))
  const staged = await findStaged(kernel, folder, id, { isHeld: true, signal })
  if (staged === undefined) throw new Failure('changed-meanwhile', 'What was staged is being removed')
  return staged
}

/** False where something of it could not be removed. */
export async function dropStaged(kernel: Kernel, folder: number, id: string): Promise<boolean> {
  const name = stagedName(id)
  const isDraftGone = await discard(kernel, folder, name)
  return (await discard(kernel, folder, `${name}${partsSuffix}`)) && isDraftGone
}

function stagedIn(kernel: Kernel, parts: number, draft: Staged['draft'], known: unknown, close: () => void): Staged {
  let state = known as StagedState | undefined
  return {
    kernel,
    draft,
    parts,
    get state() {
      return state
    },
    async note(changes, { isLasting = false } = {}) {
      state = { ...(state ?? nothing()), ...changes }
      const [next, place] = [nextStateName, stateName].map((name) => ({ folder: parts, name })) as [NameAt, NameAt]
      await writeNote(kernel, next, state, isLasting)
      moveName(kernel, next, place)
      if (isLasting) await sync(kernel, parts)
    },
    close,
  }
}

const nothing = (): StagedState => ({
  phase: 'staging',
  boot: bootId(),
  isSynced: false,
  done: { files: 0, bytes: 0 },
})

/** A small file with JSON; undefined where there is none, or none that can be understood. */
export async function readNote(kernel: Kernel, folder: number, name: string): Promise<unknown> {
  const fd = tolerating(['ENOENT'], () => kernel.open(folder, name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK))
  if (fd === undefined) return undefined
  try {
    const bytes = new Uint8Array(kernel.statOpen(fd).size)
    for (let at = 0; at < bytes.length; ) {
      const length = await kernel.read(fd, bytes.subarray(at), at)
      if (length === 0) return undefined
      at += length
    }
    return JSON.parse(Buffer.from(bytes).toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  } finally {
    kernel.close(fd)
  }
}

export async function writeNote(kernel: Kernel, place: NameAt, note: unknown, isLasting = false): Promise<void> {
  tolerating(['ENOENT'], () => dropName(kernel, place))
  const fd = kernel.open(place.folder, place.name, O.WRONLY | O.CREAT | O.EXCL | O.NOFOLLOW, 0o600)
  try {
    await kernel.write(fd, [Buffer.from(JSON.stringify(note))], 0)
    if (isLasting) await sync(kernel, fd)
  } finally {
    kernel.close(fd)
  }
}

let knownBoot: string | undefined

/** Another one after each start of the kernel. */
export function bootId(): string {
  knownBoot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return knownBoot
}
