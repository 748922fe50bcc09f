import { readdir, readFile, readlink } from 'node:fs/promises'

/** Which of these processes has accepted a connection to this port, by the port that the client has. */
export async function connectionOwners(port: number, pids: readonly number[]): Promise<Map<number, number>> {
  const pidOf = new Map<string, number>()
  for (const pid of pids)
    for (const descriptor of await readdir(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '')
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
      if (inode !== undefined) pidOf.set(inode, pid)
    }
  const owners = new Map<number, number>()
  for (const { clientPort, inode } of connectionsTo(port, await readFile('/proc/net/tcp', 'utf8'))) {
    const pid = pidOf.get(inode)
    if (pid !== undefined) owners.set(clientPort, pid)
  }
  return owners
}

/** The server's ends of connections to a port, in a table in the format of /proc/net/tcp. */
export function connectionsTo(port: number, table: string): { clientPort: number; inode: string }[] {
  const [, ...lines] = table.trim().split('\n')
  return lines.flatMap((line) => {
    const [, local = '', remote = '', state, , , , , , inode = ''] = line.trim().split(/\s+/)
    return state === established && portIn(local) === port ? [{ clientPort: portIn(remote), inode }] : []
  })
}

const established = '01'

const portIn = (address: string): number => Number.parseInt(address.split(':')[1] ?? '', 16)
