import { isAbort } from '../../api/client.ts'
import { showFailure } from '../../api/show-failure.ts'
import { ask } from '../../prompts/prompts.ts'
import { type Watched, watched } from '../../state/watched.ts'

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
 * long, a dialog shows how far it is; there it can be stopped, or left to go on by itself.
 */
export async function workThrough<Item>(
  items: readonly Item[],
  options: { title: string; atOnce: number },
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<Outcome<Item>> {
  const outcome: Outcome<Item> = { done: [], failed: [], left: [] }
  const stopping = new AbortController()
  const waiting = [...items]
  const done = watched(0)

  async function takeOn(): Promise<void> {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        stopping.signal.throwIfAborted()
        await work(item, stopping.signal)
        outcome.done.push(item)
      } catch (error) {
        if (isAbort(error)) outcome.left.push(item)
        else outcome.failed.push({ item, error })
      }
      done.set(outcome.done.length + outcome.failed.length)
    }
  }

  const isFinished = Promise.all(Array.from({ length: options.atOnce }, takeOn))
  const timer = setTimeout(() => {
    void show({
      title: options.title,
      total: items.length,
      done,
      stop: () => stopping.abort(),
      isFinished,
    }).catch(showFailure)
  }, patience)
  await isFinished
  clearTimeout(timer)
  return outcome
}

/** Nobody asked for it, so nobody waits for it: the keys belong to the page until it is there. */
async function show(work: Work): Promise<void> {
  const { WorkPrompt } = await import('./WorkPrompt.tsx')
  if (work.done.get() < work.total) await ask(WorkPrompt, { work })
}
