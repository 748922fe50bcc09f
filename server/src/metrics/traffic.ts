import { counter, type Metric } from './metric.ts'

/** What went through the server since it started. */
export interface Traffic {
  answered(kind: string, status: number): void
  received(bytes: number): void
  sent(bytes: number): void
  metrics(): Metric[]
}

export function trafficCounter(): Traffic {
  const requests = new Map<string, { kind: string; status: number; count: number }>()
  let received = 0
  let sent = 0
  return {
    answered(kind, status) {
      const key = `${kind} ${status}`
      const found = requests.get(key)
      if (found === undefined) requests.set(key, { kind, status, count: 1 })
      else found.count += 1
    },
    received(bytes) {
      received += bytes
    },
    sent(bytes) {
      sent += bytes
    },
    metrics: () => [
      {
        name: 'filestead_requests_total',
        help: 'Requests by what they were about and the status of their answer.',
        type: 'counter',
        samples: [...requests.values()].map(({ kind, status, count }) => ({
          value: count,
          labels: { kind, status: String(status) },
        })),
      },
      counter('filestead_received_bytes_total', 'Bytes of request bodies that were read.', received),
      counter(
        'filestead_sent_bytes_total',
        'Bytes of answers. A download counts in full when it begins, an archive as it is made.',
        sent,
      ),
    ],
  }
}
