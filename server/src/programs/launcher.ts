import { ptr } from 'bun:ffi'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LaunchOptions } from './confined.ts'
import { restrictFiles } from './landlock.ts'
import { call, fixedBuffer, limitResource, prepared, rlimit, rlimits } from './system.ts'

// The program that `confinedCommand` starts: it gives rights and resources up, then becomes the program it was asked for.
// Most of this holds for one thread alone; only that one is left after `execve`, and all later threads come from it.

const [PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS] = [1, 38]
const SIGKILL = 9
const CLONE_NEWNET = 0x40000000
const CLOSE_RANGE_CLOEXEC = 4
const niceness = 5
const mostDescriptors = 256

/** As shells have it for what cannot be executed. */
const cannotExecute = 126

const [json = '{}', ...argv] = process.argv.slice(2)
const options: LaunchOptions = JSON.parse(json)

call('prctl', PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
// The server may have ended before that was set.
if (process.ppid !== options.parent) process.exit(cannotExecute)
call('setpriority', 0, 0, niceness)
limitResource('CORE', 0)
limitResource('FSIZE', 0)
limitResource('NOFILE', mostDescriptors)
// Needs root; without, TCP is taken away below where the kernel can.
call('unshare', CLONE_NEWNET)
call('prctl', PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
restrictFiles([...options.readable, ...loadedFolders()], options.reopensInput ? [0] : [])
call('close_range', 3, 0xffff_ffff, CLOSE_RANGE_CLOEXEC)
const environment = Object.entries(options.environment).map(([name, value]) => `${name}=${value}`)
const [path, words, variables] = [cText(argv[0] ?? ''), cList(argv), cList(environment)]
const memory = rlimit(options.memory ?? 0)
const limitData = prepared('prlimit64', 0, options.memory === undefined ? -1 : rlimits.DATA, memory)
const become = prepared('execve', path, words.list, variables.list)
// This process has more data than the limit allows, so not a byte may be asked for in between.
limitData()
become()
process.exit(cannotExecute)

/** Where the libraries of this process lie: on this system others will be there too. */
function loadedFolders(): string[] {
  const maps = readFileSync('/proc/self/maps', 'utf8').matchAll(/ (\/\S+\.so\S*)$/gm)
  return [...new Set([...maps].map(([, file = '']) => dirname(file)))].filter((folder) => folder !== '/')
}

function cText(text: string): Buffer<ArrayBuffer> {
  const bytes = fixedBuffer(Buffer.byteLength(text) + 1)
  bytes.write(text)
  return bytes
}

/** An array of texts, ended by zero. `texts` keeps alive what the list points to. */
function cList(words: readonly string[]): { list: Buffer<ArrayBuffer>; texts: Buffer[] } {
  const texts = words.map(cText)
  const list = fixedBuffer(8 * (words.length + 1))
  for (const [index, text] of texts.entries()) list.writeBigUInt64LE(BigInt(ptr(text)), index * 8)
  return { list, texts }
}
