import { readFileSync, readlinkSync } from 'node:fs'

/**
 * A process by its id and start, since an id alone is given out again, and by the kernel and the namespace in which these
 * count. It is an id for a node that finds no place for a lock.
 */
export const ownProcess = (): string => `process:${kernelId()}:${namespace()}:${process.pid}:${startOf(process.pid)}`

/** Undefined where only another kernel, or another container, could tell. Version 1.0.0 noted process id and start only. */
export function isRunning(id: string, { isOnlyKernel = false } = {}): boolean | undefined {
  const parts = id.split(':')
  const [kernel, space, pid = '', start = ''] =
    parts[0] === 'process' ? parts.slice(1) : [kernelId(), namespace(), ...parts]
  if (kernel === '') return undefined
  if (kernel !== kernelId()) return isOnlyKernel ? false : undefined
  if (space !== namespace()) return undefined
  return start !== '' && start === startOf(Number(pid))
}

/** Another one after every boot, and the same in all containers of a machine. */
export const kernelId = (): string => textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())

const namespace = (): string => textOf(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''))

/** When a process was started; empty for one that has ended, also while its parent has not asked how. */
const startOf = (pid: number): string =>
  textOf(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in the second field may hold spaces. The state comes next; the start time is the 19th field behind that.
    const [state = '', ...others] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ['Z', 'X', 'x'].includes(state) ? '' : (others[18] ?? '')
  })

function textOf(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
