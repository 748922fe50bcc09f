import { readdir } from 'node:fs/promises'
import { counter, gauge, type Metric } from './metric.ts'

/** In milliseconds. */
const sampleEvery = 500
/** Samples of fifteen seconds, so that a scrape every fifteen misses none. */
const samples = 30

/** CPU, memory and descriptors of the process, and the lag of its event loop, which is sampled as long as it runs. */
export function processWatch(): { metrics(): Promise<Metric[]> } {
  const delays: number[] = []
  let expected = performance.now() + sampleEvery
  const timer = setInterval(() => {
    const now = performance.now()
    delays.push(Math.max(0, now - expected) / 1000)
    if (delays.length > samples) delays.shift()
    expected = now + sampleEvery
  }, sampleEvery)
  timer.unref()
  const startedAt = Date.now() / 1000 - process.uptime()

  return {
    async metrics() {
      const { user, system } = process.cpuUsage()
      return [
        gauge('process_start_time_seconds', 'When the server started, in seconds since 1970.', Math.round(startedAt)),
        counter('process_cpu_seconds_total', 'Processor time used.', (user + system) / 1e6),
        ofEach('sum', gauge('process_resident_memory_bytes', 'Memory in use.', process.memoryUsage.rss())),
        ofEach(
          'sum',
          gauge('process_open_fds', 'Open files and connections.', (await readdir('/proc/self/fd')).length),
        ),
        ofEach(
          'most',
          gauge(
            'filestead_event_loop_lag_seconds',
            'The longest time in the last 15 seconds that work was kept waiting by other work.',
            Math.max(0, ...delays),
          ),
        ),
      ]
    },
  }
}

const ofEach = (together: Metric['together'], metric: Metric): Metric => ({ ...metric, ...(together && { together }) })
