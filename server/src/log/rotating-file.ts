import { close, fstat, fstatSync, mkdirSync, open, openSync, write, writeSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Sink } from './line-writer.ts'

export interface Limits {
  /** A file that would grow beyond this is put aside. */
  bytes: number
  /** How many files that were put aside are kept, and for how long. */
  files: number
  days: number
}

const usual: Limits = { bytes: 100 * 1024 * 1024, files: 10, days: 14 }

const mode = 0o640

/** A log file that never fills the disk: full ones are renamed to `NAME.<time>`, old ones of that name are removed. */
export function rotatingFile(path: string, limits: Limits = usual): Required<Sink> {
  mkdirSync(dirname(path), { recursive: true })
  let fd = openSync(path, 'a', mode)
  let size = fstatSync(fd).size

  /** Where that fails, the file grows on until it is full once more. */
  async function rotate(): Promise<void> {
    size = 0
    try {
      await rename(path, `${path}.${new Date().toISOString().replaceAll(':', '-')}`)
    } catch {
      // Another program may have moved it away; otherwise it cannot be renamed.
      if ((await stat(path).catch(() => undefined)) !== undefined) return
    }
    await reopen()
    await dropOld(path, limits).catch(() => {})
  }

  /** Goes on in the file that has the name now; where that fails, in the old one. */
  async function reopen(): Promise<void> {
    try {
      const next = await promisify(open)(path, 'a', mode)
      const before = fd
      fd = next
      size = (await promisify(fstat)(fd)).size
      await promisify(close)(before)
    } catch {}
  }

  return {
    reopen,
    async write(bytes) {
      if (size > 0 && size + bytes.length > limits.bytes) await rotate()
      const written = await new Promise<number>((resolve, reject) =>
        write(fd, bytes, (error, count) => (error ? reject(error) : resolve(count))),
      )
      size += written
      return written
    },
    writeSync: (bytes) => writeSync(fd, bytes),
  }
}

async function dropOld(path: string, { files, days }: Limits): Promise<void> {
  const folder = dirname(path)
  const oldest = Date.now() - days * 86_400_000
  const aside = (await readdir(folder))
    .filter((name) => isAside(name, basename(path)))
    .sort()
    .reverse()
  for (const [index, name] of aside.entries()) {
    const file = join(folder, name)
    if (index >= files || (await stat(file)).mtimeMs < oldest) await rm(file)
  }
}

/** Only names that `rotate` gives: what another program has put aside is not removed. */
const isAside = (name: string, log: string): boolean =>
  name.startsWith(`${log}.`) && /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/.test(name.slice(log.length + 1))
