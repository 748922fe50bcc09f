import { readFileSync } from 'node:fs'
import { tolerating } from './errno.ts'

export interface Mount {
  readonly point: string
  /** `major:minor`, the same for all points at which one file system is mounted. */
  readonly device: string
  /** The kind of its file system, such as ext4. */
  readonly type: string
  /** Which folder of the file system is seen there: another one than '/' for a bind mount. */
  readonly top: string
}

/** What is mounted, as the kernel tells this process; undefined in a container that does not show it. */
export function readMounts(): Mount[] | undefined {
  const text = tolerating(['ENOENT', 'EACCES'], () => readFileSync('/proc/self/mountinfo', 'utf8'))
  return text === undefined ? undefined : mountsIn(text)
}

/** One mount a line; blanks and the like in names are written as octal numbers. */
export const mountsIn = (mountinfo: string): Mount[] =>
  mountinfo.split('\n').flatMap((line) => {
    const [front = '', back = ''] = line.split(' - ')
    const [, , device = '', top = '/', point] = front.split(' ')
    return point === undefined
      ? []
      : [{ point: unescaped(point), device, type: back.split(' ')[0] ?? '', top: unescaped(top) }]
  })

const unescaped = (name: string): string =>
  name.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)))

/** The number that node:fs calls `dev`, so that an identity from there can be compared. */
export const deviceNumber = (major: number, minor: number): number =>
  major * 256 + (minor & 0xff) + (minor >>> 8) * 0x100000

export const partsOfDevice = (number: number): [major: number, minor: number] => [
  Math.floor(number / 256) % 4096,
  (number % 256) + Math.floor(number / 0x100000) * 256,
]
