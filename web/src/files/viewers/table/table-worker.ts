import type { Encoding } from '../../formats/encodings.ts'
import type { Separator } from './parse.ts'
import type { Loaded, Order, Row } from './table.ts'
import type { Question } from './worker.ts'

/** A table in a worker: however long it is, the page goes on answering. */
export function openTable() {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>()
  let lastId = 0
  worker.addEventListener('message', ({ data }) => {
    waiting.get(data.id)?.resolve(data.answer)
    waiting.delete(data.id)
  })
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    for (const { reject } of waiting.values()) reject(new Error(event.message || 'The table could not be read'))
    waiting.clear()
  })

  function ask<Answer>(question: Question, transfer: Transferable[] = []): Promise<Answer> {
    return new Promise((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, { resolve: (answer) => resolve(answer as Answer), reject })
      worker.postMessage({ id: lastId, question }, transfer)
    })
  }

  return {
    open: (bytes: ArrayBuffer) => ask<null>({ kind: 'open', bytes }, [bytes]),
    load: (wanted: { encoding?: Encoding | undefined; separator?: Separator | undefined }) =>
      ask<Loaded>({ kind: 'load', ...wanted }),
    arrange: (filter: string, order: Order | null) => ask<number>({ kind: 'arrange', filter, order }),
    slice: (from: number, to: number) => ask<Row[]>({ kind: 'slice', from, to }),
    close: () => worker.terminate(),
  }
}

export type TableClient = ReturnType<typeof openTable>
