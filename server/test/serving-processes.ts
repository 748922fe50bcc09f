import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { type Line, openLine } from './line.ts'
import { until } from './process.ts'

/** The serving processes of a parent. */
export const servingOf = (parent: number): number[] =>
  readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Waits until so many processes of the parent accept connections, and returns them. */
export async function untilServing(url: string, parent: number, count: number): Promise<number[]> {
  const port = new URL(url).port
  let found: number[] = []
  await until(() => {
    const listening = inodesOf((local, _remote, state) => state === listens && local === Number(port))
    found = servingOf(parent).filter((pid) => socketsOf(pid).some((inode) => listening.has(inode)))
    return found.length === count
  })
  return found
}

/**
 * A connection that this process has accepted, on which the head of a request was sent. Which process gets it is the
 * kernel's choice, and it is accepted when the first bytes come: the others follow where they are meant for.
 */
export async function lineTo(url: string, pid: number, head: string): Promise<Line> {
  const siblings = servingOf(parentOf(pid))
  for (;;) {
    const line = await openLine(url)
    await line.send(head.slice(0, 2))
    const { localPort } = line.socket
    const accepted = () => inodesOf((local, remote) => local === Number(new URL(url).port) && remote === localPort)
    let holder: number | undefined
    await until(() => {
      const inodes = accepted()
      holder = siblings.find((each) => socketsOf(each).some((inode) => inodes.has(inode)))
      return holder !== undefined
    })
    if (holder === pid) {
      await line.send(head.slice(2))
      return line
    }
    line.reset()
  }
}

const listens = '0A'

/** Of all TCP sockets that fit. */
function inodesOf(fits: (local: number, remote: number, state: string) => boolean): Set<string> {
  const found = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const row of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const [, local = '', remote = '', state = '', , , , , , inode = ''] = row.trim().split(/\s+/)
      if (inode !== '' && inode !== '0' && fits(portIn(local), portIn(remote), state)) found.add(inode)
    }
  return found
}

const portIn = (address: string): number => Number.parseInt(address.split(':')[1] ?? '', 16)

/** The name in the second field has no spaces here; state and parent follow. */
const parentOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[3])

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}
