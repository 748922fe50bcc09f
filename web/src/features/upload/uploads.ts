import { encodePath, nameOf, parentOf, segmentsOf } from '@filestead/contract'
import { cache } from '../../api/cache.ts'
import { call } from '../../api/client.ts'
import { createFolder, refreshFolders } from '../../api/resources.ts'
import { describeFailure } from '../../api/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { chooseWhenListed, currentPlace } from '../../place/place.ts'
import { askAboutConflicts } from '../../prompts/conflicts/ask-about-conflicts.ts'
import { onSessionEnd, sessionSignal } from '../../state/session-scope.ts'
import { watched } from '../../state/watched.ts'
import { beginWork } from '../../state/work.ts'
import { announce } from '../../ui/live-status.ts'
import { toastError, toastSuccess } from '../../ui/toasts.ts'
import { forget, keep, keepUrl } from './kept.ts'
import { type FileJob, type Item, type Job, type Totals, uploadQueue } from './queue.ts'
import { sendFile, UploadFailure } from './send.ts'
import { speedometer } from './speed.ts'
import { stayAwake } from './stay-awake.ts'

/** What the tray shows. A new object whenever something has changed, at most ten times a second. */
export interface UploadsView {
  readonly totals: Totals
  /** Bytes per second. */
  readonly speed: number
  readonly isBusy: boolean
  readonly listed: readonly string[]
}

const queue = uploadQueue()
const running = new Map<string, AbortController>()
/** From the first upload until nothing is on its way any more. */
interface Run {
  /** What it has brought to its place so far. */
  readonly arrived: Job[]
  stop(): void
}

let current: Run | null = null
let meter = speedometer()
const view = watched(look())

export const useUploads = view.use

export const findUpload = (id: string): Item | undefined => queue.find(id)

/** Sends these from now on. What was skipped is shown among them, so that nobody wonders. */
export function addUploads(jobs: readonly Job[], skipped: readonly Job[] = []): void {
  if (jobs.length === 0) return
  if (!queue.isBusy()) queue.clear('failed')
  queue.add(jobs)
  queue.add(skipped, { status: 'skipped', why: 'exists' })
  keep(jobs.filter((job): job is FileJob => job.kind === 'file' && job.kept === null))
  announce(t('upload.begun', { count: jobs.length }))
  pump()
}

/** Another try for one that failed. Where its name is taken, the person says whether to replace what is there. */
export async function retryUpload(id: string): Promise<void> {
  const item = queue.find(id)
  if (item?.state.status !== 'failed') return
  if (!item.state.isNameTaken || item.job.kind !== 'file') queue.again(id)
  else {
    const { path, into, size, file } = item.job
    const origin = { size, modified: new Date(file.lastModified).toISOString() }
    const destination = { size: null, modified: null }
    const relative = path.slice(into === '/' ? 1 : into.length + 1)
    const decisions = await askAboutConflicts([{ path: relative, isDir: false, origin, destination }], 'upload')
    if (decisions === null) return
    if (decisions[0] === 'overwrite') queue.again(id, { override: true })
    else {
      queue.change(id, { status: 'skipped', why: 'exists' })
      void withdraw(item)
    }
  }
  pump()
}

export function cancelUpload(id: string): void {
  const item = queue.find(id)
  if (item === undefined || item.state.status === 'done') return
  queue.change(id, { status: 'skipped', why: 'cancelled' })
  void withdraw(item)
  pump()
}

/** Stops everything and forgets it. What has arrived stays. What is sent afterwards is a run of its own. */
export async function abortUploads(): Promise<void> {
  const items = everything()
  queue.clear()
  const withdrawals = items.filter(({ state }) => state.status !== 'done').map(withdraw)
  finishRun(t('upload.aborted'))
  await Promise.all(withdrawals)
  void cache.invalidateQueries({ queryKey: ['usage'] })
}

/** Takes the list of what has ended off the screen. */
export function closeUploads(): void {
  if (queue.isBusy()) return
  for (const item of everything()) if (item.state.status === 'failed') void withdraw(item)
  queue.clear()
  publish()
}

const everything = (): Item[] => queue.listed().flatMap((id) => queue.find(id) ?? [])

/** The server need not keep what will never be whole. */
async function withdraw({ job, state }: Item): Promise<void> {
  running.get(job.id)?.abort()
  forget(job.id)
  const hasBegun = state.status === 'uploading' || (job.kind === 'file' && job.url !== null)
  if (job.kind !== 'file' || !hasBegun) return
  const signal = AbortSignal.timeout(withdrawalLimit)
  const withdrawal = call('DELETE', `tus${encodePath(job.path)}`, { signal }).then(
    () => {},
    () => {},
  )
  withdrawals.set(job.path, withdrawal)
  await withdrawal
  if (withdrawals.get(job.path) === withdrawal) withdrawals.delete(job.path)
}

/** On a dead line nothing is withdrawn, and what is sent to the same place does not wait for it for ever. */
const withdrawalLimit = 20_000

/** By path. The server knows an upload by its path: a late withdrawal would end the next one there. */
const withdrawals = new Map<string, Promise<void>>()

function pump(): void {
  if (queue.isBusy()) current ??= beginRun()
  else finishRun()
  if (current !== null) for (const job of queue.start()) void send(job, current)
  publishSoon()
}

async function send(job: Job, run: Run): Promise<void> {
  const control = new AbortController()
  const signal = AbortSignal.any([control.signal, sessionSignal()])
  running.set(job.id, control)
  try {
    await bring(job, signal)
    signal.throwIfAborted()
    queue.change(job.id, { status: 'done' })
    run.arrived.push(job)
    forget(job.id)
  } catch (error) {
    if (!signal.aborted) queue.change(job.id, { status: 'failed', ...reasonOf(error) })
  } finally {
    if (running.get(job.id) === control) running.delete(job.id)
    pump()
  }
}

async function bring(job: Job, signal: AbortSignal): Promise<void> {
  await withdrawals.get(job.path)
  signal.throwIfAborted()
  if (job.kind === 'folder') return createFolder(job.path, signal)
  return sendFile(job, {
    signal,
    onProgress(sent) {
      if (signal.aborted) return
      queue.change(job.id, { status: 'uploading', sent })
      publishSoon()
    },
    onBegun(url) {
      if (signal.aborted) return
      queue.noteUrl(job.id, url)
      if (job.url !== url) keepUrl(job, url)
    },
  })
}

const reasonOf = (error: unknown) => ({
  reason: error instanceof UploadFailure ? error.message : describeFailure(error),
  isNameTaken: error instanceof UploadFailure && error.isNameTaken,
})

/** While something is on its way the page stays awake, counts the speed and warns before it is left. */
function beginRun(): Run {
  const arrived: Job[] = []
  meter = speedometer()
  meter.look(0)
  let seconds = 0
  let shown = 0
  const tick = setInterval(() => {
    meter.look(queue.totals().sent)
    publish()
    seconds += 1
    // Now and then the folder in view shows what has come so far.
    if (seconds % 10 !== 0 || arrived.length === shown) return
    const { folder } = currentPlace()
    if (foldersOf(arrived.slice(shown)).includes(folder)) void refreshFolders(folder)
    shown = arrived.length
  }, 1000)
  const letSleep = stayAwake()
  const endWork = beginWork(() => t('upload.uploading', { count: countUnderWay() }))
  return {
    arrived,
    stop() {
      clearInterval(tick)
      letSleep()
      endWork()
    },
  }
}

function countUnderWay(): number {
  const { queued, uploading } = queue.totals().counts
  return queued + uploading
}

/** Once for each run, whoever comes first: the last upload, or the person who aborts them. */
function finishRun(ending = t('upload.finished')): void {
  if (current === null) return
  const { arrived: done } = current
  current.stop()
  current = null
  publish()
  report(done.length, ending)
  const { folder } = currentPlace()
  const names = new Set(done.flatMap(({ path }) => nameBelow(folder, path) ?? []))
  if (names.size > 0) chooseWhenListed(folder, [...names])
  void refreshFolders(foldersOf(done))
  void cache.invalidateQueries({ queryKey: ['usage'] })
}

function report(done: number, ending: string): void {
  const { failed } = queue.totals().counts
  if (failed > 0) toastError(t('upload.someFailed', { count: failed }))
  if (done > 0) toastSuccess(t('upload.arrived', { count: done }))
  announce(ending)
}

/** Every folder that looks different now: those that hold something new, up to the one it was sent to. */
function foldersOf(jobs: readonly Job[]): string[] {
  const folders = new Set<string>()
  for (const { path, into } of jobs) {
    folders.add(into)
    for (let folder = parentOf(path); folder !== into && !folders.has(folder); folder = parentOf(folder))
      folders.add(folder)
  }
  return [...folders]
}

/** The name under which a path shows in a listing of `folder`. */
function nameBelow(folder: string, path: string): string | undefined {
  if (parentOf(path) === folder) return nameOf(path)
  const inside = folder === '/' ? path : path.startsWith(`${folder}/`) ? path.slice(folder.length) : null
  return inside === null ? undefined : segmentsOf(inside)[0]
}

onSessionEnd(() => {
  // Without its session nothing can be sent. What was begun is offered again to the same person, unless they signed out.
  for (const control of running.values()) control.abort()
  running.clear()
  withdrawals.clear()
  queue.clear()
  current?.stop()
  current = null
  publish()
})

let timer: ReturnType<typeof setTimeout> | null = null

function look(): UploadsView {
  return { totals: queue.totals(), speed: meter.speed(), isBusy: queue.isBusy(), listed: queue.listed() }
}

function publishSoon(): void {
  timer ??= setTimeout(publish, 100)
}

function publish(): void {
  if (timer !== null) clearTimeout(timer)
  timer = null
  view.set(look())
}
