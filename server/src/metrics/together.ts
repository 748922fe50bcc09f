import type { Metric, Sample } from './metric.ts'

/** The metrics of several processes as those of one server. The first part decides where all tell the same. */
export function addedUp(parts: readonly (readonly Metric[])[]): Metric[] {
  const byName = new Map<string, { metric: Metric; samples: Map<string, Sample> }>()
  for (const metric of parts.flat()) {
    const known = byName.get(metric.name) ?? { metric, samples: new Map<string, Sample>() }
    byName.set(metric.name, known)
    for (const sample of metric.samples) {
      const key = `${sample.suffix ?? ''} ${JSON.stringify(sample.labels ?? {})}`
      const before = known.samples.get(key)
      known.samples.set(key, before === undefined ? sample : { ...before, value: joined(metric, before, sample) })
    }
  }
  return [...byName.values()].map(({ metric, samples }) => ({ ...metric, samples: [...samples.values()] }))
}

function joined({ type, together }: Metric, { value: before }: Sample, { value }: Sample): number {
  // Sums of seconds are told in millionths.
  if (type !== 'gauge' || together === 'sum') return Math.round((before + value) * 1e6) / 1e6
  return together === 'most' ? Math.max(before, value) : before
}

/** What a process still counts for when it has ended: a sum that falls looks like a restart of the server. */
const countedIn = (metrics: readonly Metric[]): Metric[] => metrics.filter(({ type }) => type !== 'gauge')

/** One who can be asked for metrics; `own` are those of the process alone. */
export interface Measured {
  metrics(which: 'all' | 'own'): Promise<readonly Metric[] | undefined>
}

export interface Gathering<Process extends Measured> {
  gather(): Promise<Metric[]>
  /** It has ended: what it has counted so far stays. */
  ended(process: Process): void
}

/** Asks all processes of a server. One that does not answer is told as it was the last time. */
export function gatheringFrom<Process extends Measured>(
  all: () => readonly Process[],
  ofParent: () => Promise<readonly Metric[]>,
): Gathering<Process> {
  const latest = new Map<Process, readonly Metric[]>()
  let counted: readonly Metric[] = []

  async function ask(process: Process, which: 'all' | 'own'): Promise<readonly Metric[]> {
    const before = latest.get(process) ?? []
    const found = await process.metrics(which)
    // One that has ended meanwhile was counted with what it told before.
    if (found !== undefined && all().includes(process)) latest.set(process, found)
    return found ?? before
  }

  return {
    async gather() {
      // Those that end while they are asked are among the parts, and not yet in here.
      const ofEnded = counted
      const parts = await Promise.all([
        ofParent(),
        ...all().map((process, at) => ask(process, at === 0 ? 'all' : 'own')),
      ])
      return addedUp([...parts, ofEnded])
    },
    ended(process) {
      counted = addedUp([counted, countedIn(latest.get(process) ?? [])])
      latest.delete(process)
    },
  }
}
