import type { Metric, Sample } from './metric.ts'

/** Histogram buckets in seconds. Few, because every kind of request has all of them. */
const bounds = [0.01, 0.05, 0.25, 1, 5, 30]

interface Durations {
  add(kind: string, seconds: number): void
  metric(): Metric
}

/** The time to the first byte of an answer, by kind of request. */
export function durations(): Durations {
  const kinds = new Map<string, { buckets: number[]; sum: number; count: number }>()
  return {
    add(kind, seconds) {
      let known = kinds.get(kind)
      if (known === undefined) {
        known = { buckets: bounds.map(() => 0), sum: 0, count: 0 }
        kinds.set(kind, known)
      }
      const at = bounds.findIndex((bound) => seconds <= bound)
      if (at !== -1) known.buckets[at] = (known.buckets[at] ?? 0) + 1
      known.sum += seconds
      known.count += 1
    },
    metric: () => ({
      name: 'filestead_request_duration_seconds',
      help: 'Time until an answer begins. A download goes on after that, an upload is over by then.',
      type: 'histogram',
      samples: [...kinds].flatMap(([kind, { buckets, sum, count }]): Sample[] => {
        let below = 0
        const steps = buckets.map((found, at): Sample => {
          below += found
          return { suffix: '_bucket', value: below, labels: { kind, le: String(bounds[at]) } }
        })
        return [
          ...steps,
          { suffix: '_bucket', value: count, labels: { kind, le: '+Inf' } },
          { suffix: '_sum', value: Math.round(sum * 1e6) / 1e6, labels: { kind } },
          { suffix: '_count', value: count, labels: { kind } },
        ]
      }),
    }),
  }
}
