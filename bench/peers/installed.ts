import type { Bench } from '../bench.ts'
import type { Peer } from '../peer.ts'
import { startCopyparty } from './copyparty.ts'
import { startDufs } from './dufs.ts'
import { startNginx } from './nginx.ts'

const starters = { dufs: startDufs, copyparty: startCopyparty, nginx: startNginx }

export type ForeignName = keyof typeof starters
export const foreignNames = Object.keys(starters) as ForeignName[]

/** Those of the named servers that this machine has. One that is not there, or does not start, leaves a note. */
export async function startInstalled(bench: Bench, names: readonly ForeignName[]): Promise<Peer[]> {
  const peers: Peer[] = []
  for (const name of names) {
    try {
      const peer = await starters[name](bench)
      if (peer === undefined) bench.notes.add(`${name} was not found, so nothing is compared with it`)
      else peers.push(peer)
    } catch (error) {
      bench.notes.add(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return peers
}
