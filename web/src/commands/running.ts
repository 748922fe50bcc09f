import { isAsking, useLoadingDialog, useOpenDialogs } from '../dialogs/ask.ts'
import { perSession, useScope } from '../state/session-scope.ts'
import { createStore } from '../state/store.ts'
import type { Progress } from '../ui/Button.tsx'
import type { CommandId } from './command.ts'

/** Work that ends sooner shows no spinner, which would only flicker. */
const delay = 300
const doneTime = 1000

/** The work of a session, by command. */
export class RunningCommands {
  readonly progress = createStore<ReadonlyMap<CommandId, Progress>>(new Map())
  readonly #runs = new Map<CommandId, number>()

  /** Answers how to tell that it has ended, and whether something was done. */
  begin(id: CommandId): (isDone: boolean) => void {
    this.#count(id, 1)
    // A command whose dialog is open waits for a person. It runs when it goes on afterwards.
    const timer = setInterval(() => {
      if (isAsking()) return
      clearInterval(timer)
      this.#show(id, 'running')
    }, delay)
    return (isDone) => {
      clearInterval(timer)
      this.#count(id, -1)
      if (isDone) {
        this.#show(id, 'done')
        setTimeout(() => this.#rest(id, 'done'), doneTime)
      } else this.#rest(id, 'running')
    }
  }

  #count(id: CommandId, change: number): void {
    this.#runs.set(id, (this.#runs.get(id) ?? 0) + change)
  }

  /** Takes away what is shown, unless the same command runs once more or something else is shown by now. */
  #rest(id: CommandId, shown: Progress): void {
    if (this.progress.get().get(id) !== shown) return
    const isRunning = (this.#runs.get(id) ?? 0) > 0
    if (isRunning && shown === 'running') return
    this.#show(id, isRunning ? 'running' : undefined)
  }

  #show(id: CommandId, progress: Progress | undefined): void {
    const next = new Map(this.progress.get())
    if (progress === undefined) next.delete(id)
    else next.set(id, progress)
    this.progress.set(next)
  }
}

const running = perSession(() => new RunningCommands())

/** For work that a command has started and does not wait for, such as uploads. */
export const beginRunning = (id: CommandId): ((isDone: boolean) => void) => running().begin(id)

/** For the button of a command. */
export function useProgressOf(id: CommandId): Progress | undefined {
  const progress = running(useScope()).progress.use((all) => all.get(id))
  const isLoading = useLoadingDialog() !== null
  const isDialogOpen = useOpenDialogs().length > 0 || isLoading
  return progress === 'running' && isDialogOpen ? undefined : progress
}
