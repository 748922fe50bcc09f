import { type Activity, addActivity } from '../../activity/activities.ts'
import { ask } from '../../dialogs/prompts.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { isAbort } from '../../server/client.ts'
import { createStore } from '../../state/store.ts'
import { beginWork } from '../../state/work.ts'

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

/** A batch that is shorter is not shown, in milliseconds. */
const shownAfter = 500

/**
 * Does one thing to many items, a few at a time. One failure does not keep the others from being done. When it takes
 * long, a dialog shows how far it is; folded up, the batch goes on in the tray, from where the dialog can be opened
 * again. It ends with its session: nothing is begun after that, and the promise is rejected.
 */
export async function workThrough<Item>(
  items: readonly Item[],
  { kind, title, atOnce, session }: BatchOptions,
  work: (item: Item, signal: AbortSignal) => Promise<unknown>,
): Promise<Outcome<Item>> {
  const outcome: Outcome<Item> = { done: [], failed: [], left: [], by: 'user' }
  session.throwIfAborted()
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, session])
  const total = items.length
  const waiting = items.values()
  const statusAt = (done: number) => ({
    title,
    text: t('change.workDone', { done, total }),
    progress: done / total,
    state: 'running' as const,
  })
  const status = createStore(statusAt(0))

  async function takeItems(): Promise<void> {
    for (const item of waiting) {
      try {
        signal.throwIfAborted()
        await work(item, signal)
        outcome.done.push(item)
      } catch (error) {
        if (isAbort(error)) outcome.left.push(item)
        else outcome.failed.push({ item, error })
      }
      status.set(statusAt(outcome.done.length + outcome.failed.length))
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

/** The dialog of a batch, and its row in the tray once the dialog was folded up. */
function batchView(activity: Activity, finished: Promise<void>, isOver: () => boolean) {
  let isOpen = false
  let takeOut: (() => void) | null = null

  async function show(): Promise<void> {
    if (isOpen) return
    isOpen = true
    const { WorkPrompt } = await import('./WorkPrompt.tsx')
    if (!isOver()) await ask(WorkPrompt, { activity, finished })
    isOpen = false
    if (!isOver()) takeOut ??= addActivity({ ...activity, show: openDialog })
  }

  // It opens by itself, so no keys are held back for it while it is fetched.
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
