import type { Place } from './bench.ts'
import { exchange, type Request } from './exchange.ts'
import type { Peer } from './peer.ts'
import type { Dialect } from './peers/dialect.ts'
import type { Subject } from './subjects.ts'
import { runTool } from './tool.ts'
import type { Reference, Work } from './work.ts'

/** A work that is one request, held against one run of a program of the system on the same thing. */
interface TimedWork {
  name: string
  title: string
  subject: Subject
  tool: { name: string; limit?: number; argv(place: Place): string[] }
  /** How a peer is asked for it; nothing when it cannot be asked. */
  asking(dialect: Dialect): ((served: string) => Request) | undefined
  /** The size that the answer must have. */
  bodyBytes?(place: Place): number
  verify?(peer: Peer, place: Place): Promise<void>
  /** Runs after the tool and after every request, outside the timing. */
  afterwards?(place: Place): Promise<void>
  moreReferences?: Work['references']
}

export function timedWork(work: TimedWork): Work {
  const { name, title, subject, tool, asking, bodyBytes, verify, afterwards, moreReferences } = work
  return {
    name,
    title,
    unit: 'ms',
    subject,
    isFor: ({ dialect }) => asking(dialect) !== undefined,
    verify,
    async references(bench, place) {
      const sample = async () => {
        const taken = await runTool(tool.argv(place))
        await afterwards?.(place)
        return taken
      }
      const own: Reference = { kind: 'shared', name: tool.name, limit: tool.limit, sample }
      return [own, ...((await moreReferences?.(bench, place)) ?? [])]
    },
    async sample(peer, place) {
      const request = asking(peer.dialect)?.(place.served)
      if (request === undefined) throw new Error(`${peer.name} has no ${name}`)
      const taken = await exchange(peer, { ...request, bodyBytes: bodyBytes?.(place) })
      await afterwards?.(place)
      return taken
    },
  }
}
