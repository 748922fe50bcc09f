import { closeSync, existsSync, openSync } from 'node:fs'

/** May this process mount? Containers may forbid it all the same. */
export const canMount = process.getuid?.() === 0 && existsSync('/dev/fuse') && Bun.which('mount') !== null

export interface HungMount {
  /** As when the program behind it dies: every access fails. */
  abort(): void
  /** The same, and it is unmounted. */
  giveUp(): void
}

/** Mounts a file system whose server never answers: every access sleeps until the mount is aborted. */
export function mountHung(place: string): HungMount | undefined {
  const fuse = openSync('/dev/fuse', 'r+')
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
  const { exitCode } = Bun.spawnSync(['mount', '-i', '-t', 'fuse', '-o', options, 'hung', place], {
    stdio: ['ignore', 'ignore', 'ignore', fuse],
  })
  if (exitCode !== 0) closeSync(fuse)
  let isOver = false
  const abort = () => {
    if (!isOver) closeSync(fuse)
    isOver = true
  }
  const giveUp = () => {
    if (isOver) return
    abort()
    Bun.spawnSync(['umount', '-l', place])
  }
  return exitCode === 0 ? { abort, giveUp } : undefined
}
