import { readdir, readFile } from 'node:fs/promises'

/** Resident memory of a process and all below it: a launcher and the server it starts count as one. */
export async function readResidentMB(pid: number): Promise<number> {
  const entries = await readdir('/proc').catch(() => {
    throw new Error('this system has no /proc to read memory from')
  })
  const pids = entries.filter((entry) => /^\d+$/.test(entry))
  // A process may end between the listing and the reading.
  const statuses = await Promise.all(pids.map((entry) => readFile(`/proc/${entry}/status`, 'utf8').catch(() => '')))
  const kilobytes = sumResident(pid, statuses)
  if (kilobytes === 0) throw new Error('the server is not running any more')
  return (kilobytes * 1024) / 1_000_000
}

/** The most that a process has taken at any time since its start. */
export async function readPeakMB(pid: number): Promise<number> {
  const kilobytes = fieldOf(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''), 'VmHWM')
  if (kilobytes === undefined) throw new Error('the server is not running any more')
  return (kilobytes * 1024) / 1_000_000
}

export function sumResident(pid: number, statuses: readonly string[]): number {
  const processes = statuses.map((status) => ({
    pid: fieldOf(status, 'Pid'),
    parent: fieldOf(status, 'PPid'),
    resident: fieldOf(status, 'VmRSS') ?? 0,
  }))
  const sumFrom = (root: number | undefined): number => {
    const own = processes.find((process) => process.pid === root)?.resident ?? 0
    const children = processes.filter(({ parent }) => parent === root)
    return children.reduce((sum, child) => sum + sumFrom(child.pid), own)
  }
  return sumFrom(pid)
}

function fieldOf(status: string, field: string): number | undefined {
  const figure = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]
  return figure === undefined ? undefined : Number(figure)
}
