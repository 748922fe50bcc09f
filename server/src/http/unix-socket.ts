import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'

/** Removes a socket file that a crash left, so that its path can be bound. One with a listening process stays. */
export function removeStaleSocket(path: string): string {
  if (existsSync(path) && statSync(path).isSocket() && !isListenedOn(path)) rmSync(path)
  return path
}

/** The kernel lists a socket as long as a process holds it open. */
const isListenedOn = (path: string): boolean =>
  existsSync('/proc/net/unix') &&
  readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .some((line) => line.endsWith(` ${path}`))
