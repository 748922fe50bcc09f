import { closeSync, openSync } from 'node:fs'
import { O } from '../storage/linux/libc.ts'
import { call, fixedBuffer } from './system.ts'

const [EXECUTE, READ_FILE, READ_DIR] = [1, 4, 8]
const PATH_BENEATH = 1
const VERSION = 1

/** What a version of Landlock can take away: rights to files, to TCP, to sockets and signals beyond the sandbox. */
const fileRights = [0, 13, 14, 15, 15, 16]
const [tcp, beyond] = [3, 3]

/**
 * Takes from this thread, and all that it starts or becomes, the right to open any file but those below `readable`, to
 * write any, to connect anywhere by TCP, and to trace or signal other processes. Folders can still be listed, because the
 * runtime does so on the way to every module. Descriptors that are open stay usable, and `descriptors` can be opened
 * again through /proc. Kernels without Landlock (before 5.13, or switched off) change nothing.
 */
export function restrictFiles(readable: readonly string[], descriptors: readonly number[]): void {
  const version = call('landlock_create_ruleset', 0, 0, VERSION)
  if (version < 1) return
  const handled = fixedBuffer(24)
  handled.writeBigUInt64LE((1n << BigInt(fileRights[Math.min(version, 5)] ?? 16)) - 1n, 0)
  handled.writeBigUInt64LE(BigInt(version >= 4 ? tcp : 0), 8)
  handled.writeBigUInt64LE(BigInt(version >= 6 ? beyond : 0), 16)
  const rules = call('landlock_create_ruleset', handled, version >= 6 ? 24 : version >= 4 ? 16 : 8, 0)
  if (rules < 0) return
  allow(rules, openSync('/', O.PATH | O.CLOEXEC), [READ_DIR])
  for (const path of readable) {
    const descriptor = openIfThere(path)
    if (descriptor === undefined) continue
    // The second is for files, of which the rights to a folder are refused.
    allow(rules, descriptor, [EXECUTE | READ_FILE | READ_DIR, EXECUTE | READ_FILE])
    closeSync(descriptor)
  }
  for (const descriptor of descriptors) allow(rules, descriptor, [READ_FILE])
  call('landlock_restrict_self', rules, 0)
  closeSync(rules)
}

function allow(rules: number, descriptor: number, rights: readonly number[]): void {
  const rule = fixedBuffer(12)
  rule.writeInt32LE(descriptor, 8)
  for (const right of rights) {
    rule.writeBigUInt64LE(BigInt(right), 0)
    if (call('landlock_add_rule', rules, PATH_BENEATH, rule, 0) === 0) return
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, O.PATH | O.CLOEXEC)
  } catch {
    return undefined
  }
}
