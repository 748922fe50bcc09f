import { isAbort } from '../../api/client.ts'
import { showFailure } from '../../api/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { ask } from '../../prompts/prompts.ts'
import { type Watched, watched } from '../../state/watched.ts'
import { beginWork } from '../../state/work.ts'

export interface Outcome<Item> {
  done: Item[]
  failed: { item: Item; error: unknown }[]
  /** Not begun, or broken off, because the person said stop. */
  left: Item[]
}

/** How far the work is, for whoever shows it. */
export interface Work {
  title: string
  total: number
  /** How many are over with, one way or the other. */
  done: Watched<number>
  stop: () => void
  isFinished: Promise<unknown>
}

/** Below this nobody needs to be told that something is going on. */
const patience = 500

/**
 * Does one thing to many items, a few at a time. One failure does not keep the others from being done. When it takes
 * long, a dialog shows how far it is; there it can be stopped, or left to go on by itself. It ends with the session in
 * which it was wanted: nothing is begun after that, and it rejects, since there is nobody left to be told about it.
 */
export async function workThrough<Item>(
  items: readonly Item[],
  { title, atOnce, session }: { title: string; atOnce: number; session: AbortSignal },
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<Outcome<Item>> {
  const outcome: Outcome<Item> = { done: [], failed: [], left: [] }
  session.throwIfAborted()
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, session])
  const total = items.length
  const waiting = items.values()
  const done = watched(0)

  async function takeOn(): Promise<void> {
    for (const item of waiting) {
      try {
        signal.throwIfAborted()
        await work(item, signal)
        outcome.done.push(item)
      } catch (error) {
        if (isAbort(error)) outcome.left.push(item)
        else outcome.failed.push({ item, error })
      }
      done.set(outcome.done.length + outcome.failed.length)
    }
  }

  const endWork = beginWork(() => `${title} · ${t('change.workDone', { done: done.get(), total })}`)
  const isFinished = Promise.all(Array.from({ length: atOnce }, takeOn))
  const timer = setTimeout(() => {
    void show({ title, total, done, stop: () => stopping.abort(), isFinished }, session).catch(showFailure)
  }, patience)
  await isFinished
  clearTimeout(timer)
  endWork()
  session.throwIfAborted()
  return outcome
}

/** Nobody asked for it, so nobody waits for it: the keys belong to the page until it is there. */
async function show(work: Work, session: AbortSignal): Promise<void> {
  const { WorkPrompt } = await import('./WorkPrompt.tsx')
  if (work.done.get() < work.total && !session.aborted) await ask(WorkPrompt, { work })
}
