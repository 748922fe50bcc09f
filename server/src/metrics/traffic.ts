import { durations } from './durations.ts'
import { counter, type Metric } from './metric.ts'

/** Requests and bytes since the start. */
export interface Traffic {
  answered(kind: string, status: number, seconds: number): void
  changed(action: string): void
  triedToSignIn(result: 'ok' | 'refused'): void
  received(bytes: number): void
  sent(bytes: number): void
  metrics(): Metric[]
}

export function trafficCounter(): Traffic {
  const requests = new Map<string, { kind: string; status: number; count: number }>()
  const changes = new Map<string, number>()
  const signIns = new Map([
    ['ok', 0],
    ['refused', 0],
  ])
  const took = durations()
  let received = 0
  let sent = 0
  return {
    answered(kind, status, seconds) {
      took.add(kind, seconds)
      const key = `${kind} ${status}`
      const found = requests.get(key)
      if (found === undefined) requests.set(key, { kind, status, count: 1 })
      else found.count += 1
    },
    changed: (action) => void changes.set(action, (changes.get(action) ?? 0) + 1),
    triedToSignIn: (result) => void signIns.set(result, (signIns.get(result) ?? 0) + 1),
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
      took.metric(),
      {
        name: 'filestead_changes_total',
        help: 'What was changed, by the event that the log has for it.',
        type: 'counter',
        samples: [...changes].map(([action, value]) => ({ value, labels: { action } })),
      },
      {
        name: 'filestead_sign_ins_total',
        help: 'Attempts to sign in, by their result.',
        type: 'counter',
        samples: [...signIns].map(([result, value]) => ({ value, labels: { result } })),
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
