import { closeSync, fstatSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isByteLocked, lockByte } from '../storage/linux/locks.ts'
import { isRunning, processOf } from './processes.ts'

/** One server process, or one command, among those that work on a database. Rows of unfinished work name theirs. */
export interface Node {
  readonly id: string
  /** May the node with this id still be at work? Its unfinished work is nobody else's then. */
  isAlive(id: string | null): boolean
  /** Asked every now and then: a file that was removed by hand is made and locked anew. */
  stay(): void
  leave(): void
}

const prefix = 'node:'

/**
 * A node is a random number and holds the lock on that byte of a file beside the database. The lock is a lease that the
 * kernel keeps: it lasts exactly as long as the process, needs no clock and no heartbeat that would keep disks awake,
 * and other containers see it. (SQLite's log demands as well that all who use a database share one kernel.)
 */
export function joinNodes(folder: string): Node {
  const file = join(folder, 'nodes')
  const held = holdByte(file)
  // Where there are no locks a node is known by its process, though only to its own container.
  if (held === undefined) return { id: processOf(process.pid), isAlive: isProcess, stay() {}, leave() {} }
  const own = `${prefix}${held.at.toString(36)}`
  let isMember = true
  return {
    id: own,
    isAlive(id) {
      if (id === null || !id.startsWith(prefix)) return isProcess(id)
      // Where nothing can be found out, nothing is taken away.
      return id === own || !isMember || isByteLocked(held.fd, Number.parseInt(id.slice(prefix.length), 36)) !== false
    },
    stay() {
      if (!isMember || isSameFile(held.fd, file)) return
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const fd = openSync(file, 'a+', 0o600)
      const isLocked = lockByte(fd, held.at)
      closeSync(isLocked ? held.fd : fd)
      if (isLocked) held.fd = fd
    },
    leave() {
      if (isMember) closeSync(held.fd)
      isMember = false
    },
  }
}

/** Also the nodes of version 1.0.0, which knew each other by process only. */
const isProcess = (id: string | null): boolean => id !== null && isRunning(id)

function isSameFile(fd: number, file: string): boolean {
  const [open, named] = [fstatSync(fd), statSync(file, { throwIfNoEntry: false })]
  return named !== undefined && open.ino === named.ino && open.dev === named.dev
}

function holdByte(file: string): { fd: number; at: number } | undefined {
  let fd: number
  try {
    fd = openSync(file, 'a+', 0o600)
  } catch {
    return undefined
  }
  for (let tries = 0; tries < 3; tries += 1) {
    const at = randomByte()
    if (lockByte(fd, at)) return { fd, at }
  }
  closeSync(fd)
  return undefined
}

const randomByte = (): number => Number(crypto.getRandomValues(new BigUint64Array(1))[0]) % 2 ** 52
