import { close, fstat, fstatSync, mkdirSync, open, openSync, write, writeSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Sink } from './line-writer.ts'

export interface Limits {
  /** A file that would grow beyond this is rotated. */
  bytes: number
  /** How many rotated files are kept, and for how long. */
  files: number
  days: number
}

const defaults: Limits = { bytes: 100 * 1024 * 1024, files: 10, days: 14 }

const mode = 0o640

/** A log file of limited size: a full one is renamed to `NAME.<time>`, and old ones are removed. */
export function rotatingFile(path: string, limits: Limits = defaults): Required<Sink> {
  mkdirSync(dirname(path), { recursive: true })
  let fd = openSync(path, 'a', mode)
  let size = fstatSync(fd).size

  /** Where that fails, the next attempt follows when the file has grown by the limit again. */
  async function rotate(): Promise<void> {
    size = 0
    try {
      await rename(path, `${path}.${new Date().toISOString().replaceAll(':', '-')}`)
    } catch {
      // Fine if another program has moved the file away; otherwise it cannot be renamed.
      if ((await stat(path).catch(() => undefined)) !== undefined) return
    }
    await reopen()
    await dropOld(path, limits).catch(() => {})
  }

  /** A descriptor is not closed while a line is being written to it: its number may be another file's by then. */
  let writing: Promise<unknown> = Promise.resolve()

  /** Opens the file that has the name now; where that fails, the old one stays in use. */
  async function reopen(): Promise<void> {
    try {
      const next = await promisify(open)(path, 'a', mode)
      const before = fd
      fd = next
      size = (await promisify(fstat)(fd)).size
      await writing.catch(() => {})
      await promisify(close)(before)
    } catch {}
  }

  return {
    reopen,
    async write(bytes) {
      if (size > 0 && size + bytes.length > limits.bytes) await rotate()
      const line = new Promise<number>((resolve, reject) =>
        write(fd, bytes, (error, count) => (error ? reject(error) : resolve(count))),
      )
      writing = line
      const written = await line
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
    .filter((name) => isRotated(name, basename(path)))
    .sort()
    .reverse()
  for (const [index, name] of aside.entries()) {
    const file = join(folder, name)
    if (index >= files || (await stat(file)).mtimeMs < oldest) await rm(file)
  }
}

/** Only names that `rotate` gives: files that another program rotated are not removed. */
const isRotated = (name: string, log: string): boolean =>
  name.startsWith(`${log}.`) && /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/.test(name.slice(log.length + 1))
