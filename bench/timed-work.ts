import type { Bench, Place } from './bench.ts'
import { exchange, type Request } from './exchange.ts'
import type { Peer } from './peer.ts'
import type { Subject } from './subjects.ts'
import { runTool } from './tool.ts'
import type { Reference, Work } from './work.ts'

/** A work that is one request, held against one run of a program of the system on the same thing. */
interface TimedWork {
  name: string
  subject: Subject
  tool: { name: string; limit?: number; argv(place: Place): string[] }
  request(place: Place): Request
  verify?(peer: Peer, place: Place): Promise<void>
  /** Runs after the tool and after every request, outside the timing. */
  afterwards?(place: Place): Promise<void>
  moreReferences?(bench: Bench, place: Place): Promise<Reference[]>
}

export function timedWork({ name, subject, tool, request, verify, afterwards, moreReferences }: TimedWork): Work {
  return {
    name,
    unit: 'ms',
    subject,
    verify,
    async references(bench, place) {
      const sample = async () => {
        const taken = await runTool(tool.argv(place))
        await afterwards?.(place)
        return taken
      }
      const more = (await moreReferences?.(bench, place)) ?? []
      return [{ kind: 'shared', name: tool.name, limit: tool.limit, sample }, ...more]
    },
    async sample(peer, place) {
      const taken = await exchange(peer, request(place))
      await afterwards?.(place)
      return taken
    },
  }
}
