import { closeSync, fstat, open, openSync, statfsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isByteLocked, lockByte } from '../storage/linux/locks.ts'

/**
 * A lease that the kernel keeps: a node is a random number and locks the byte at that place of a file beside the
 * database. The lock lasts exactly as long as the process: also while that is stopped, and not while it is a zombie. Other
 * containers see it. It needs no clock, and no heartbeats that would keep disks awake.
 */
export interface KernelLock {
  readonly id: string
  /** Do all processes that could lock a byte of this file run on one kernel, so that a free byte belongs to a dead node? */
  readonly isDecisive: boolean
  /** Undefined for an id of another kind, or where the file system does not tell. */
  isHeld(id: string): boolean | undefined
  /** A file that was removed by hand is made and locked anew. No call waits for the disk on the event loop. */
  renew(): Promise<void>
  release(): void
}

const prefix = 'node:'

export const isLockId = (id: string): boolean => id.startsWith(prefix)

/** Undefined where there are no locks, or no place for the file. */
export function lockIn(folder: string): KernelLock | undefined {
  const file = join(folder, 'nodes')
  const held = holdByte(file)
  if (held === undefined) return undefined
  let isReleased = false
  return {
    id: `${prefix}${held.at.toString(36)}`,
    isDecisive: !networkFileSystems.has(statfsSync(folder).type),
    isHeld(id) {
      return isLockId(id) ? isByteLocked(held.fd, Number.parseInt(id.slice(prefix.length), 36)) : undefined
    },
    async renew() {
      if (await isSameFile(held.fd, file)) return
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      // Kept as a number: a handle of the runtime would close it, and drop the lock, when it is collected.
      const fd = await openDescriptor(file, 'a+', 0o600)
      const isLocked = !isReleased && lockByte(fd, held.at)
      closeSync(isLocked ? held.fd : fd)
      if (isLocked) held.fd = fd
    },
    release() {
      isReleased = true
      closeSync(held.fd)
    },
  }
}

/** As `statfs` names them: NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, Lustre, OCFS2, GFS2, AFS, Coda, vboxsf. */
const networkFileSystems = new Set([
  ...[0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x00c36400, 0x0bd00bd0],
  ...[0x7461636f, 0x01161970, 0x5346414f, 0x73757245, 0x786f4256],
])

async function isSameFile(fd: number, file: string): Promise<boolean> {
  const [opened, named] = await Promise.all([descriptorStat(fd), stat(file).catch(() => undefined)])
  return named !== undefined && opened.ino === named.ino && opened.dev === named.dev
}

const openDescriptor = promisify(open)
const descriptorStat = promisify(fstat)

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
