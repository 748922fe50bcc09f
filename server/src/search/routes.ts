import { type Limits, lasting } from '../access/limits.ts'
import { forUsers, type Route, type UserContext } from '../access/routes.ts'
import { plainHeaders } from '../http/answers.ts'
import { streamOf } from '../http/compress.ts'
import { heldFor } from '../http/lasting.ts'
import { keptAlive } from './keep-alive.ts'
import { parseQuery } from './query.ts'
import { type Hit, search } from './search.ts'

export interface SearchRoutesOptions {
  searchLimit: number
  limits: Limits
}

const silence = 5000

export const searchRoutes = (options: SearchRoutesOptions): Route[] => [
  forUsers('GET', '/api/search/*', [], (context) => answerSearch(context, options)),
]

/** One JSON object a line, sent as they are found. Not compressed, because a compressor would hold them back. */
async function answerSearch(context: UserContext, { searchLimit, limits }: SearchRoutesOptions): Promise<Response> {
  const { scope, request } = context
  const matches = parseQuery(context.query.get('query') ?? '')
  const turn = await lasting(limits.searches, context)
  try {
    const found = await search(scope, context.path, matches, { limit: searchLimit, signal: turn.signal })
    if (request.method === 'HEAD') {
      turn.end()
      return new Response(null, { headers: { ...plainHeaders, 'transfer-encoding': 'chunked' } })
    }
    const pieces = heldFor(keptAlive(linesOf(found), '\n', silence), turn)
    return new Response(streamOf(pieces, turn.signal), { headers: plainHeaders })
  } catch (error) {
    turn.end()
    throw error
  }
}

async function* linesOf(batches: AsyncIterable<Hit[]>): AsyncGenerator<string> {
  for await (const hits of batches) yield `${hits.map((hit) => JSON.stringify(hit)).join('\n')}\n`
}
