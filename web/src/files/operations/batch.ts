import type { Activity, ActivityStatus } from '../../activity/activities.ts'
import { t } from '../../i18n/i18n.ts'
import { ApiError, isAbort } from '../../server/client.ts'
import { Outages } from '../../server/outages.ts'
import { createStore } from '../../state/store.ts'
import { beginWork } from '../../state/work.ts'
import { announce } from '../../ui/live-status.ts'
import type { Outcome } from './outcome.ts'
import { untilStalled } from './until-stalled.ts'
import { shownAfter, workView } from './work-view.ts'

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
  const activity = { kind, status, cancel: () => stopping.abort() }
  const view = workView(activity, { finished, isOver: () => isOver || session.aborted })
  const timer = setTimeout(() => view.openDialog(), shownAfter)
  await finished
  clearTimeout(timer)
  endWork()
  if (view.close()) outcome.by = 'background'
  session.throwIfAborted()
  return outcome
}
