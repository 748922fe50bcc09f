import { closeSync, openSync } from 'node:fs'
import { Failure } from '../failure.ts'
import type { PoolAnswer, PoolTask } from './worker-pool.ts'

/** So many descriptors a worker may take while it starts. */
const needed = 16
/** Where fewer are free, connections that come while a worker starts could take them all. */
const plenty = 64
/** In milliseconds. A worker starts within a few of them, and takes longer only where the processor is overloaded. */
const longestStart = 5000

interface StartSignal {
  readonly started: Int32Array<SharedArrayBuffer>
}

/** The runtime ends the process when a worker finds no free descriptor while it starts. */
export const canStartWorker = (): boolean => freeDescriptors(needed) === needed

/**
 * Starts a worker whose messages are handled by `workerMessages`. Where descriptors are scarce, the event loop accepts
 * no connection until the worker has its own. Throws where there are none.
 */
export function startWorker(file: string | URL, options: WorkerOptions = {}): Worker {
  const free = freeDescriptors(plenty)
  if (free < needed) throw new Failure('unavailable', 'Too many files are open')
  const worker = new Worker(file, options)
  if (free < plenty) {
    const started = new Int32Array(new SharedArrayBuffer(4))
    worker.postMessage({ started } satisfies StartSignal)
    Atomics.wait(started, 0, 0, longestStart)
  }
  return worker
}

/** In a worker: the handler of its messages, which also tells the event loop that the worker has started. */
export const workerMessages =
  <Message>(handle: (message: Message) => void) =>
  ({ data }: MessageEvent<Message | StartSignal>): void => {
    if (isStartSignal(data)) {
      Atomics.store(data.started, 0, 1)
      Atomics.notify(data.started, 0)
    } else handle(data)
  }

declare const self: Worker

/** In a worker of a `workerPool`: the handler that does its tasks. `transfer` tells what of a result is handed over. */
export const poolTasks = <Input, Output>(
  work: (input: Input) => Output | Promise<Output>,
  transfer: (output: Output) => Bun.Transferable[] = () => [],
) =>
  workerMessages(async ({ id, input }: PoolTask<Input>) => {
    try {
      const value = await work(input)
      self.postMessage({ id, value } satisfies PoolAnswer<Output>, transfer(value))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      self.postMessage({ id, error: reason } satisfies PoolAnswer<Output>)
    }
  })

const isStartSignal = (data: unknown): data is StartSignal =>
  typeof data === 'object' && data !== null && 'started' in data

function freeDescriptors(most: number): number {
  const opened: number[] = []
  try {
    while (opened.length < most) opened.push(openSync('/dev/null', 'r'))
  } catch {
    // None is left.
  }
  for (const descriptor of opened) closeSync(descriptor)
  return opened.length
}
