import { startWorker } from './worker.ts'

export interface PoolTask<Input> {
  readonly id: number
  readonly input: Input
}

export type PoolAnswer<Output> = { readonly id: number } & ({ readonly value: Output } | { readonly error: string })

export interface WorkerPool<Input, Output> {
  /** What is transferred is gone for the caller. */
  run(input: Input, transfer?: Bun.Transferable[]): Promise<Output>
}

interface PoolOptions {
  /** So many workers at the most. */
  readonly most: number
  /** So many tasks a worker is given at once: more than one where they take long and give way to each other. */
  readonly tasksAtOnce?: number
  /** In milliseconds: workers without a task end after it. */
  readonly idleAfter: number
}

interface Waiting<Input, Output> extends PromiseWithResolvers<Output> {
  readonly task: PoolTask<Input>
  readonly transfer: Bun.Transferable[]
}

/**
 * Workers that do tasks, the oldest first. They are started when there is work for them, and end when there has been none
 * for a while. Their file answers with `poolTasks`.
 */
export function workerPool<Input, Output>(
  file: string | URL,
  { most, tasksAtOnce = 1, idleAfter }: PoolOptions,
): WorkerPool<Input, Output> {
  const queue: Waiting<Input, Output>[] = []
  const given = new Map<Worker, Map<number, Waiting<Input, Output>>>()
  let lastId = 0
  let idle: Timer | undefined

  function dispatch(): void {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      const worker = workerWithRoom()
      if (worker === undefined) break
      queue.shift()
      given.get(worker)?.set(next.task.id, next)
      worker.postMessage(next.task, next.transfer)
    }
    clearTimeout(idle)
    if (countOfTasks() === 0) idle = setTimeout(endAll, idleAfter).unref()
  }

  const countOfTasks = (): number => [...given.values()].reduce((sum, tasks) => sum + tasks.size, 0)

  /** One without a task, else a new one, else the one with the fewest. */
  function workerWithRoom(): Worker | undefined {
    const [first] = [...given].toSorted(([, a], [, b]) => a.size - b.size)
    if (first?.[1].size !== 0 && given.size < most) {
      try {
        return start()
      } catch (error) {
        if (given.size === 0) for (const { reject } of queue.splice(0)) reject(error)
      }
    }
    return first !== undefined && first[1].size < tasksAtOnce ? first[0] : undefined
  }

  function start(): Worker {
    const worker = startWorker(file, { smol: true })
    const tasks = new Map<number, Waiting<Input, Output>>()
    given.set(worker, tasks)
    worker.unref()
    worker.onmessage = ({ data }: MessageEvent<PoolAnswer<Output>>) => {
      const task = tasks.get(data.id)
      tasks.delete(data.id)
      if ('error' in data) task?.reject(new Error(data.error))
      else task?.resolve(data.value)
      dispatch()
    }
    worker.onerror = ({ message }) => {
      given.delete(worker)
      worker.terminate()
      for (const { reject } of tasks.values()) reject(new Error(message))
      dispatch()
    }
    return worker
  }

  function endAll(): void {
    for (const worker of given.keys()) worker.terminate()
    given.clear()
  }

  return {
    run(input, transfer = []) {
      lastId += 1
      const waiting = { ...Promise.withResolvers<Output>(), task: { id: lastId, input }, transfer }
      queue.push(waiting)
      dispatch()
      return waiting.promise
    },
  }
}
