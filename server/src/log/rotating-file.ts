import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface Limits {
  /** A file that would grow beyond this is put aside. */
  bytes: number
  files: number
  days: number
}

const usual: Limits = { bytes: 100 * 1024 * 1024, files: 10, days: 14 }

/** A log file that never fills the disk: full ones are put aside under their time, old ones go. */
export function rotatingFile(path: string, limits: Limits = usual) {
  mkdirSync(dirname(path), { recursive: true })
  let fd = openSync(path, 'a', 0o640)
  let size = fstatSync(fd).size

  /** Where that cannot be, the file grows on. */
  function rotate(): void {
    size = 0
    try {
      // Somebody may have taken it away.
      if (existsSync(path)) renameSync(path, `${path}.${new Date().toISOString().replaceAll(':', '-')}`)
    } catch {
      return
    }
    if (reopen()) dropOld(path, limits)
  }

  /** Goes on in the file that has the name now; where that cannot be, in the old one. */
  function reopen(): boolean {
    const before = fd
    try {
      fd = openSync(path, 'a', 0o640)
    } catch {
      return false
    }
    // Only now: the number of a closed descriptor soon means another file.
    closeSync(before)
    size = fstatSync(fd).size
    return true
  }

  return {
    reopen,
    write(line: string): void {
      const bytes = Buffer.from(line)
      if (size > 0 && size + bytes.length > limits.bytes) rotate()
      size += writeSync(fd, bytes)
    },
  }
}

function dropOld(path: string, { files, days }: Limits): void {
  const folder = dirname(path)
  const oldest = Date.now() - days * 86_400_000
  const aside = readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(path)}.`))
    .sort()
    .reverse()
  for (const [index, name] of aside.entries()) {
    const file = join(folder, name)
    if (index >= files || statSync(file).mtimeMs < oldest) rmSync(file)
  }
}
