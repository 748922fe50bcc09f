import { costOf } from '@filestead/contract'

/** How fast work goes, over the last seconds, so that a slow start or a pause does not count for long. */
export interface Rate {
  note(done: Amount): void
  /** Bytes a second. Undefined while too little is known. */
  bytesPerSecond(): number | undefined
  /** By bytes and files. */
  secondsLeft(total: Amount): number | undefined
}

interface Amount {
  readonly files: number
  readonly bytes: number
}

interface Sample extends Amount {
  readonly at: number
}

const span = 5000
/** Samples closer together than this are one. */
const apart = 200
/** With less, the rate would be a guess. */
const shortest = 500

export function rateOf(now: () => number = () => performance.now()): Rate {
  let samples: Sample[] = []

  function speed(): (Amount & { last: Sample }) | undefined {
    const [first, last] = [samples[0], samples.at(-1)]
    if (first === undefined || last === undefined) return undefined
    // The time since the last sample counts: work that stands still becomes slower.
    const milliseconds = now() - first.at
    if (milliseconds < shortest) return undefined
    const perSecond = (amount: number) => (Math.max(0, amount) * 1000) / milliseconds
    return { files: perSecond(last.files - first.files), bytes: perSecond(last.bytes - first.bytes), last }
  }

  return {
    note({ files, bytes }) {
      const at = now()
      const previous = samples.at(-2)
      if (previous !== undefined && at - previous.at < apart) samples.pop()
      samples.push({ at, files, bytes })
      // The one before the span stays, so that the span is covered.
      const within = samples.findIndex((sample) => at - sample.at <= span)
      if (within > 1) samples = samples.slice(within - 1)
    },
    bytesPerSecond() {
      const found = speed()
      return found && Math.round(found.bytes)
    },
    secondsLeft(total) {
      const found = speed()
      if (found === undefined) return undefined
      const [left, perSecond] = [costOf(total) - costOf(found.last), costOf(found)]
      return perSecond === 0 ? undefined : Math.max(0, Math.ceil(left / perSecond))
    },
  }
}
