import { exchange, type Request } from '../exchange.ts'

/** Sends heavy requests from a thread of its own, so that what is measured beside them does not wait for their bytes. */
declare const self: Worker

export interface BurdenOrder {
  url: string
  token: string
  requests: Request[]
  atOnce: number
}

export type BurdenReport = 'begun' | 'done' | { failure: string }

let waiting: Request[] = []

/** An order begins; `stop` lets what is under way come to its end, so that nothing of it disturbs the next measurement. */
self.onmessage = async ({ data }: MessageEvent<BurdenOrder | 'stop'>) => {
  if (data === 'stop') {
    waiting.length = 0
    return
  }
  const { url, token, requests, atOnce } = data
  const server = { url: new URL(url), token }
  waiting = requests.toReversed()
  const sendSome = async () => {
    for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) await exchange(server, request)
  }
  let report: BurdenReport = 'done'
  try {
    self.postMessage('begun' satisfies BurdenReport)
    await Promise.all(Array.from({ length: atOnce }, sendSome))
  } catch (error) {
    report = { failure: error instanceof Error ? error.message : String(error) }
  }
  self.postMessage(report)
}
