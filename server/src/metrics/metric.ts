/** A metric family of Prometheus. Labels come from fixed lists, never from paths or names. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
  /** What a gauge means for several processes; without it, all of them would tell the same. */
  readonly together?: 'sum' | 'most'
}

export interface Sample {
  readonly value: number
  /** The suffix of a histogram's sample. */
  readonly suffix?: '_bucket' | '_sum' | '_count'
  readonly labels?: Readonly<Record<string, string>>
}

export const gauge = (name: string, help: string, value: number): Metric => ({
  name,
  help,
  type: 'gauge',
  samples: [{ value }],
})

export const counter = (name: string, help: string, value: number): Metric => ({
  ...gauge(name, help, value),
  type: 'counter',
})

/** The text format, version 0.0.4. */
export const textOf = (metrics: readonly Metric[]): string =>
  metrics
    .map(({ name, help, type, samples }) =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(({ value, suffix = '', labels = {} }) => `${name}${suffix}${labelsText(labels)} ${value}`),
        '',
      ].join('\n'),
    )
    .join('')

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
