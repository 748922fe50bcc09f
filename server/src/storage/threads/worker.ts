import { workerMessages } from '../../concurrency/worker.ts'
import type { Disk } from '../disk/disk.ts'
import type { DiskStorage } from '../disk/disk-storage.ts'
import { type DraftLedger, pathOfDescriptor } from '../disk/drafts.ts'
import { guarded } from '../disk/guarded.ts'
import { countHalfWritten } from '../disk/half-written.ts'
import type { MoveLedger } from '../disk/moving-sources.ts'
import { orphansAmong } from '../disk/orphans.ts'
import { findOwnFiles } from '../disk/own-files.ts'
import { diskScopes } from '../disk/scopes.ts'
import { volumesBelow } from '../disk/volume.ts'
import type { KeepStores, TellEffects } from '../keeping.ts'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { mountTable } from '../linux/mounts.ts'
import type { VirtualPath } from '../path.ts'
import { contentSlots } from './content-slots.ts'
import {
  type Base,
  type FromThread,
  handedOver,
  isTextOutcome,
  type Modes,
  type Outcome,
  received,
  type Task,
  type ThreadSettings,
  type ToThread,
} from './messages.ts'
import { errorOf, refusalOf } from './refusal.ts'
import { Running, type Transfer } from './running.ts'
import { type Adapter, verbsOf } from './verbs.ts'

declare const self: Worker

// A thread that may wait for disks, so that the event loop need not. It runs the disk adapter, and asks the event loop
// for what only that can do: rows in the database, and bytes from the network.

const post = (message: FromThread, transfer: Transfer = []): void => self.postMessage(message, transfer)

const questions = new Map<number, PromiseWithResolvers<unknown>>()
let lastQuestion = 0

function ask(name: string, ...args: unknown[]): Promise<never> {
  lastQuestion += 1
  const asked = Promise.withResolvers<unknown>()
  questions.set(lastQuestion, asked)
  const message: FromThread = { kind: 'question', question: lastQuestion, name, args }
  if (args.every((arg) => typeof arg === 'string' || Number.isSafeInteger(arg)))
    self.postMessage(JSON.stringify(message))
  else post(message)
  return asked.promise as Promise<never>
}

/** Rows are the event loop's: the database has its connections there. */
const ledger: DraftLedger = {
  begin: (draft) => ask('drafts.begin', draft),
  overwriting: (draft, target) => ask('drafts.overwriting', draft, target),
  // Not waited for: a row whose draft is gone does no harm, and the next start removes it.
  async end(draft) {
    ask('drafts.end', draft).catch(() => {})
  },
  leftBehind: () => ask('drafts.leftBehind'),
}

const moves: MoveLedger = {
  begin: (place, original) => ask('moves.begin', place, original),
  arrived: (place, since) => ask('moves.arrived', place, since),
  end: (place) => ask('moves.end', place),
  leftBehind: () => ask('moves.leftBehind'),
}

/** Calls that may sleep for long. The changes of a file system must not wait for them, so the thread beside it makes them. */
const callsOfHelper: Pick<Kernel, 'copyRange' | 'syncFileSystem'> = {
  copyRange: (from, to, position, length) => ask('copyRange', pathOfDescriptor(to), from, to, position, length),
  syncFileSystem: (fd) => ask('syncFileSystem', pathOfDescriptor(fd), fd),
}

/** What the newest task brought along. Settings change rarely, so it does for all. */
let modes: Modes = { file: 0o600, folder: 0o700 }
let stores: KeepStores = { trash: false, versions: false }
let unixSeconds = 0
let servedFolders: ThreadSettings['servedFolders']

/** Comes to the event loop before the answer to the task, as messages keep their order. */
const tellOf =
  (root: string): TellEffects =>
  (operation, effects) =>
    self.postMessage(JSON.stringify({ kind: 'effects', root, operation, effects } satisfies FromThread))

/** In milliseconds: so long what is mounted is taken for known. */
const aMoment = 20

function adapterOf(settings: ThreadSettings): Adapter {
  const { thread, root, own, spool, follows, isFurtherMount, volumes: volumeState, orphanAge } = settings
  const kernel = linuxKernel({ follows })
  const ownFiles = findOwnFiles(kernel, own)
  const changed = () => post({ kind: 'volumes', volumes: volumeState })
  const sawAmong = (folder: number, items: readonly { name: string }[]) => {
    if (orphanAge === undefined) return
    const places = orphansAmong(kernel, folder, items, { now: unixSeconds, least: orphanAge })
    if (places.length > 0) post({ kind: 'orphans', places })
  }
  const mounts = mountTable()
  let lookedAt = Number.NEGATIVE_INFINITY
  const foundLink = (link: string, target: string) => {
    if (performance.now() - lookedAt > aMoment) {
      lookedAt = performance.now()
      mounts.lookAgain()
    }
    if (mounts.of(link) !== mounts.of(target)) post({ kind: 'link', link, target })
  }
  const disk: Disk = {
    kernel: guarded({ ...kernel, ...callsOfHelper }, ownFiles),
    storeKernel: kernel,
    stores: () => stores,
    tell: tellOf(root),
    ledger,
    moves,
    ownFiles,
    modes: () => modes,
    spool,
    follows,
    isFurtherMount,
    servedFolders: () => servedFolders,
    foldsCase: () => false,
    foundLink,
    orphans: { sawAmong },
    volumes: volumesBelow(kernel, root, { state: volumeState, changed }),
    volumeState,
    volumesChanged: changed,
  }
  return {
    thread,
    slots: contentSlots(settings.contents),
    disk,
    kernel,
    diskOf(other) {
      const kernel = linuxKernel({ follows: other.follows })
      return {
        ...disk,
        kernel: guarded({ ...kernel, ...callsOfHelper }, ownFiles),
        storeKernel: kernel,
        stores: () => other.stores,
        tell: tellOf(other.root),
        follows: other.follows,
        isFurtherMount: other.isFurtherMount,
        servedFolders: () => other.servedFolders,
        volumes: volumesBelow(kernel, other.root, { state: other.volumes }),
        volumeState: other.volumes,
        volumesChanged: undefined,
      }
    },
    scopes: diskScopes(disk, root),
    root,
    ledger,
    moves,
    now: () => unixSeconds,
    fill: (token, draft) => ask('fill', token, draft),
    secure: (token) => ask('secure', token),
    recovered: (file) => void ask('recovered', file),
  }
}

const verbs = verbsOf()
const tasks = new Map<number, Running>()
let adapter: Adapter | undefined

const storages = new Map<string, DiskStorage>()
const mostStorages = 256

function storageOf({ scopes }: Adapter, { scope, below }: Base): DiskStorage {
  const key = [scope, ...below].join('\0')
  let storage = storages.get(key)
  if (storage === undefined) {
    storage = below.reduce((above, folder) => above.beneath(folder as VirtualPath), scopes.storageAt(scope))
    if (storages.size >= mostStorages) storages.clear()
    storages.set(key, storage)
  }
  return storage
}

async function run(id: number, { verb, base, args }: Task): Promise<void> {
  const running = new Running((part, transfer) => post({ kind: 'part', id, part }, transfer))
  tasks.set(id, running)
  try {
    if (adapter === undefined) throw new Error('The thread has not been started')
    const work = verbs[verb] as (context: object, ...args: unknown[]) => Promise<unknown>
    const value = await work({ storage: storageOf(adapter, base), running, adapter }, ...args)
    done.push({ id, value })
  } catch (error) {
    done.push({ id, error: refusalOf(error) })
  } finally {
    tasks.delete(id)
    if (!isTurnOpen) tell()
  }
}

let done: Outcome[] = []
let isTurnOpen = false
let current = new Int32Array(new SharedArrayBuffer(8))

function tell(): void {
  const message: FromThread = { kind: 'news', done }
  if (done.every(isTextOutcome)) self.postMessage(JSON.stringify(message))
  else post(message, done.flatMap(handedOver))
  done = []
}

const waiting: { id: number; task: Task }[] = []

/**
 * Begins all tasks that wait, one after another, and tells of them together: a message for each would cost more than most
 * of them. Most are done within their first step, which the promises that it is made of take a few rounds to say.
 */
async function workThrough(): Promise<void> {
  isTurnOpen = true
  let begun = 0
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    Atomics.store(current, 0, next.id)
    void run(next.id, next.task)
    for (let round = 0; round < mostRounds && tasks.has(next.id); round += 1) await undefined
    Atomics.store(current, 1, next.id)
    begun += 1
  }
  isTurnOpen = false
  if (done.length > 0 || begun >= manyBegun) tell()
}

const mostRounds = 24
/** After so many the event loop may wait for room for more. */
const manyBegun = 8

self.onmessage = workerMessages((sent: ToThread | string) => {
  const data = received(sent)
  switch (data.kind) {
    case 'start':
      countHalfWritten(data.settings.halfWrittenCount, data.settings.halfWrittenHere)
      current = data.settings.current
      servedFolders = data.settings.servedFolders
      adapter = adapterOf(data.settings)
      post({ kind: 'ready' })
      break
    case 'tasks':
      modes = data.modes
      stores = data.stores
      unixSeconds = data.now
      waiting.push(...data.tasks)
      if (!isTurnOpen) void workThrough()
      break
    case 'volumes':
      Object.assign(adapter?.disk.volumeState ?? {}, data.volumes)
      break
    case 'servedFolders':
      servedFolders = data.folders
      break
    case 'cancel':
      tasks.get(data.id)?.cancel()
      break
    case 'taken':
      tasks.get(data.id)?.taken()
      break
    case 'prod':
      tell()
      break
    case 'answer': {
      const asked = questions.get(data.question)
      questions.delete(data.question)
      if (data.error === undefined) asked?.resolve(data.value)
      else asked?.reject(errorOf(data.error))
    }
  }
})

// Imports have been evaluated by now, and with them the C library was loaded.
post({ kind: 'loaded' })
