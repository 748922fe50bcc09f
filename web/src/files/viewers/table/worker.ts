import type { Encoding } from '../../formats/encodings.ts'
import type { Separator } from './parse.ts'
import { type Order, Table } from './table.ts'

export type Question =
  | { kind: 'open'; bytes: ArrayBuffer }
  | { kind: 'load'; encoding?: Encoding | undefined; separator?: Separator | undefined }
  | { kind: 'arrange'; filter: string; order: Order | null }
  | { kind: 'slice'; from: number; to: number }

let table = new Table(new Uint8Array())

self.addEventListener('message', ({ data: { id, question } }: MessageEvent<{ id: number; question: Question }>) => {
  self.postMessage({ id, answer: answer(question) })
})

function answer(question: Question): unknown {
  switch (question.kind) {
    case 'open':
      table = new Table(new Uint8Array(question.bytes))
      return null
    case 'load':
      return table.load(question)
    case 'arrange':
      return table.arrange(question.filter, question.order)
    case 'slice':
      return table.slice(question.from, question.to)
  }
}
