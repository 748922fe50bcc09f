import { type Activity, type ActivityStatus, addActivity } from '../../activity/activities.ts'
import { ask } from '../../dialogs/ask.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { ApiError, isAbort } from '../../server/client.ts'
import { Outages } from '../../server/outages.ts'
import { stallWatch } from '../../server/stall-watch.ts'
import { createStore } from '../../state/store.ts'
import { beginWork } from '../../state/work.ts'
import { announce } from '../../ui/live-status.ts'
import { WorkDialog } from './WorkDialog.tsx'

export interface Outcome<Item> {
  done: Item[]
  failed: { item: Item; error: unknown }[]
  /** Not begun, or broken off, because the person said stop. */
  left: Item[]
  /** A batch that went on in the background takes no selection away when it ends. */
  by: 'user' | 'background'
}

interface BatchOptions {
  kind: Activity['kind']
  title: string
  atOnce: number
  /** The session in which the batch was wanted. */
  session: AbortSignal
}

/**
 * How often work that gets no answer is tried again where the server is well otherwise. Counted from the last item that
 * was done, so that not every item of a hopeless batch is tried again.
 */
const tries = 2

/** A batch that is shorter is not shown, in milliseconds. */
const shownAfter = 500

/**
 * Does the work for one item. `lost` is the failure of the try before, whose answer was lost with the connection: the
 * server may have done it already.
 */
type Work<Item> = (item: Item, signal: AbortSignal, lost: ApiError | null) => Promise<unknown>

/**
 * Does one thing to many items, a few at a time. One failure does not keep the others from being done. While the server
 * cannot be reached, the batch waits and then goes on. When it takes long, a dialog shows how far it is; folded up, the
 * batch goes on in the tray, from where the dialog can be opened again. It ends with its session: nothing is begun after
 * that, and the promise is rejected.
 */
export async function workThrough<Item>(
  items: readonly Item[],
  { kind, title, atOnce, session }: BatchOptions,
  work: Work<Item>,
): Promise<Outcome<Item>> {
  const outcome: Outcome<Item> = { done: [], failed: [], left: [], by: 'user' }
  session.throwIfAborted()
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, session])
  const total = items.length
  const waiting = items.values()
  let outages = 0
  const statusNow = (): ActivityStatus => {
    const done = outcome.done.length + outcome.failed.length
    const text = t('change.workDone', { done, total })
    const isWaiting = outages > 0
    return {
      title,
      text: isWaiting ? `${text} · ${t('upload.waitingForServer')}` : text,
      progress: done / total,
      state: isWaiting ? 'waiting' : 'running',
    }
  }
  const status = createStore(statusNow())
  const connection = new Outages(
    {
      signal,
      onWaiting(isWaiting) {
        outages += isWaiting ? 1 : -1
        if (isWaiting && outages === 1) announce(t('upload.waitingForServer'))
        status.set(statusNow())
      },
    },
    tries,
  )

  async function workOn(item: Item): Promise<void> {
    for (let lost: ApiError | null = null; ; ) {
      signal.throwIfAborted()
      try {
        await untilStalled((alive) => work(item, alive, lost), signal)
        return connection.reset()
      } catch (error) {
        const isLost = error instanceof ApiError && error.status === 0 && error !== lost
        if (!isLost || !(await connection.waitOut())) throw error
        lost = error
      }
    }
  }

  async function takeItems(): Promise<void> {
    for (const item of waiting) {
      try {
        await workOn(item)
        outcome.done.push(item)
      } catch (error) {
        if (isAbort(error)) outcome.left.push(item)
        else outcome.failed.push({ item, error })
      }
      status.set(statusNow())
    }
  }

  const endWork = beginWork(() => `${title} · ${status.get().text}`)
  let isOver = false
  const finished = Promise.all(Array.from({ length: atOnce }, takeItems)).then(() => {
    isOver = true
  })
  const view = batchView({ kind, status, cancel: () => stopping.abort() }, finished, () => isOver || session.aborted)
  const timer = setTimeout(() => view.openDialog(), shownAfter)
  await finished
  clearTimeout(timer)
  endWork()
  if (view.close()) outcome.by = 'background'
  session.throwIfAborted()
  return outcome
}

/**
 * On a half-dead connection a request hangs without end. It counts as lost when the server does not answer elsewhere
 * either; one that the server takes its time for does not.
 */
async function untilStalled(work: (signal: AbortSignal) => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const watch = stallWatch()
  watch.noteSent()
  const stalled = watch.stalled.then(() => {
    throw new ApiError(0, '000 No answer')
  })
  try {
    await Promise.race([work(AbortSignal.any([signal, over.signal])), stalled])
  } finally {
    watch.stop()
    over.abort()
  }
}

/** The dialog of a batch, and its row in the tray once the dialog was folded up. */
function batchView(activity: Activity, finished: Promise<void>, isOver: () => boolean) {
  let isOpen = false
  let takeOut: (() => void) | null = null

  async function show(): Promise<void> {
    if (isOpen) return
    isOpen = true
    await ask(WorkDialog, { activity, finished })
    isOpen = false
    if (!isOver()) takeOut ??= addActivity({ ...activity, show: openDialog })
  }

  const openDialog = (): void => void show().catch(showFailure)

  return {
    openDialog,
    /** Tells whether it was folded up. */
    close(): boolean {
      takeOut?.()
      return takeOut !== null
    },
  }
}
