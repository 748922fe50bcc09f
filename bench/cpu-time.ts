import { readdir, readFile } from 'node:fs/promises'

/** Clock ticks are a hundredth of a second on every Linux that we know. */
const MS_PER_TICK = 10

/** The processor time that a process and all below it have taken since they were started. */
export async function readCpuMs(pid: number): Promise<number> {
  const pids = (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry))
  const stats = await Promise.all(pids.map((entry) => readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')))
  return sumTicks(pid, stats) * MS_PER_TICK
}

/** Of lines from /proc/PID/stat. Processes that have ended are counted by the parent that has waited for them. */
export function sumTicks(pid: number, stats: readonly string[]): number {
  const processes = stats.map(parseStat)
  const sumFrom = (root: number): number => {
    const own = processes.find((process) => process.pid === root)?.ticks ?? 0
    return processes.filter(({ parent }) => parent === root).reduce((sum, child) => sum + sumFrom(child.pid), own)
  }
  return sumFrom(pid)
}

function parseStat(line: string): { pid: number; parent: number; ticks: number } {
  // The name in parentheses may hold spaces and parentheses itself.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { pid: Number.parseInt(line, 10), parent: Number(fields[1]), ticks }
}
