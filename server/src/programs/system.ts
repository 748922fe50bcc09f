import { ptr } from 'bun:ffi'
import { libc, SYS } from '../storage/linux/libc.ts'

const isArm = process.arch === 'arm64'

/** The system calls with which programs are started and limited. */
const calls = {
  close_range: 436,
  execve: isArm ? 221 : 59,
  landlock_add_rule: 445,
  landlock_create_ruleset: 444,
  landlock_restrict_self: 446,
  memfd_create: isArm ? 279 : 319,
  prctl: isArm ? 167 : 157,
  prlimit64: SYS.prlimit64,
  recvmsg: isArm ? 212 : 47,
  sendmsg: isArm ? 211 : 46,
  setpriority: isArm ? 140 : 141,
  socketpair: isArm ? 199 : 53,
  unshare: isArm ? 97 : 272,
} as const

type Argument = number | Buffer<ArrayBuffer>

/** Below zero where the kernel refuses. Buffers must be alive until the call is over, and are if the caller holds them. */
export const call = (name: keyof typeof calls, ...values: Argument[]): number => prepared(name, ...values)()

/** The call with all it needs at hand: nothing is allocated when it is made. */
export function prepared(name: keyof typeof calls, ...values: Argument[]): () => number {
  const number = calls[name]
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = values.map((value) => (typeof value === 'number' ? value : ptr(value)))
  return () => Number(libc.syscall(number, a, b, c, d, e))
}

/** A buffer whose address stays the same: small typed arrays move when their buffer is first asked for. */
export const fixedBuffer = (size: number): Buffer<ArrayBuffer> => Buffer.from(new ArrayBuffer(size))

export const rlimits = { FSIZE: 1, DATA: 2, CORE: 4, NOFILE: 7 } as const

/** Sets a limit of this process, soft and hard, for good. */
export function limitResource(limit: keyof typeof rlimits, most: number): void {
  call('prlimit64', 0, rlimits[limit], rlimit(most))
}

/** The kernel's `rlimit`: soft, hard. */
export function rlimit(most: number): Buffer<ArrayBuffer> {
  const pair = fixedBuffer(16)
  pair.writeBigUInt64LE(BigInt(most), 0)
  pair.writeBigUInt64LE(BigInt(most), 8)
  return pair
}
