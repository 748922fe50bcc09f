import { readFileSync } from 'node:fs'

/** A process as this machine knows it: a process id alone is given out again, in a container at every start. */
export const processOf = (pid: number): string => `${pid}:${startOf(pid)}`

export function isRunning(process: string): boolean {
  const [pid = '', start] = process.split(':')
  return start !== '' && start === startOf(Number(pid))
}

/** When a process was started; empty for one that has ended, also while its parent has not asked how. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in the second field may hold spaces. The state comes next; the start time is the 19th field behind that.
    const [state = '', ...others] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ['Z', 'X', 'x'].includes(state) ? '' : (others[18] ?? '')
  } catch {
    return ''
  }
}
