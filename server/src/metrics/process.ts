import { readdir } from 'node:fs/promises'
import { counter, gauge, type Metric } from './metric.ts'

const tick = 500
/** The worst of the last fifteen seconds, so that a scrape every fifteen misses nothing. */
const remembered = 30

/** How this process is doing. Watches the event loop as long as it runs. */
export function processWatch(): { metrics(): Promise<Metric[]> } {
  const delays: number[] = []
  let expected = performance.now() + tick
  const timer = setInterval(() => {
    const now = performance.now()
    delays.push(Math.max(0, now - expected) / 1000)
    if (delays.length > remembered) delays.shift()
    expected = now + tick
  }, tick)
  timer.unref()
  const startedAt = Date.now() / 1000 - process.uptime()

  return {
    async metrics() {
      const { user, system } = process.cpuUsage()
      return [
        gauge('process_start_time_seconds', 'When the server started, in seconds since 1970.', Math.round(startedAt)),
        counter('process_cpu_seconds_total', 'Processor time used.', (user + system) / 1e6),
        gauge('process_resident_memory_bytes', 'Memory in use.', process.memoryUsage.rss()),
        gauge('process_open_fds', 'Open files and connections.', (await readdir('/proc/self/fd')).length),
        gauge(
          'filestead_event_loop_lag_seconds',
          'The longest time in the last 15 seconds that work was kept waiting by other work.',
          Math.max(0, ...delays),
        ),
      ]
    },
  }
}
