import { dirname, join } from 'node:path'
import { codeFolders, launcherProgram } from '../parts.ts'

export interface Confinement {
  /** The whole environment of the program. */
  environment: Readonly<Record<string, string>>
  /** Bytes of data that it may allocate; files and libraries that it maps do not count. */
  memory?: number
  /** May it open the file on its standard input a second time, as /proc/self/fd/0? */
  reopensInput?: boolean
}

/** What the launcher is told, as its first argument. */
export interface LaunchOptions extends Confinement {
  readonly parent: number
  readonly readable: readonly string[]
}

/** Where programs find their libraries, and the runtime the facts about this machine. */
const system = [
  ...['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib', '/nix/store', '/gnu/store', '/etc/ld.so.cache'],
  ...['/etc/ld-musl-x86_64.path', '/etc/ld-musl-aarch64.path', '/proc/self', '/proc/meminfo', '/proc/stat'],
  ...['/proc/cpuinfo', '/sys/fs/cgroup', '/sys/devices/system/cpu', '/dev/null', '/dev/urandom'],
]

/** For programs of this product, which run on the runtime inside of this executable, without a `.env` or a cache in a home. */
export const runtimeCommand = [process.execPath, '--config=/dev/null', '--no-env-file']
export const runtimeEnvironment = {
  BUN_BE_BUN: '1',
  BUN_JSC_forceRAMSize: '201326592',
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
  // As process/allocator.ts has it for the server: image libraries use many threads, and glibc a heap for each.
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '262144',
}

/**
 * The command that starts a program with as little as it needs: no file but libraries and the product's code, no descriptor but
 * the standard ones, no network where the system allows that, a lower priority, no way to gain rights, and an end with
 * this process.
 */
export function confinedCommand(argv: readonly string[], confinement: Confinement): string[] {
  const program = argv[0] ?? ''
  // A program that was unpacked somewhere has its libraries beside it.
  const readable = [...system, ...codeFolders, program, join(dirname(program), '../lib')]
  const options: LaunchOptions = { ...confinement, parent: process.pid, readable }
  return [...runtimeCommand, launcherProgram, JSON.stringify(options), ...argv]
}
