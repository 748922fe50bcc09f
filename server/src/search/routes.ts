import { Yes } from '@filestead/contract'
import { z } from 'zod'
import { type Limits, lasting } from '../access/limits.ts'
import { type Route, route, type UserContext } from '../access/routes.ts'
import { plainHeaders } from '../http/answers.ts'
import { returnsText } from '../http/returns.ts'
import { streamOf } from '../http/stream.ts'
import { holdingSlot } from '../http/stream-slot.ts'
import { matcherOf } from '../storage/name-filter.ts'
import { keptAlive } from './keep-alive.ts'
import { filterOf } from './query.ts'
import { type Hit, search } from './search.ts'

export interface SearchRoutesOptions {
  searchLimit: number
  limits: Limits
}

/** In milliseconds. */
const keepAliveEvery = 5000

const SearchQuery = z.object({
  query: z.string().default('').describe('what to search for'),
  facts: Yes(
    'with size, modified, mode, isDir, isSymlink and type of each result, and can where not everything is allowed',
  ),
})

export const searchRoutes = (options: SearchRoutesOptions): Route[] => [
  route({
    method: 'GET',
    path: '/api/search/*',
    access: [],
    guests: true,
    past: true,
    summary: 'Search names below a folder.',
    details: 'All words must match; "quoted words" count as one. `type:image` and the like, `case:sensitive`.',
    query: SearchQuery,
    returns: returnsText(
      'One JSON object {dir, path} a line, as they are found; empty lines keep the connection alive',
    ),
    sample: { at: 'box', query: { query: 'in' } },
    answer: (context) => answerSearch(context, options),
  }),
]

/** One JSON object a line, sent as they are found. Not compressed, because a compressor would hold them back. */
async function answerSearch(
  context: UserContext<z.output<typeof SearchQuery>>,
  { searchLimit, limits }: SearchRoutesOptions,
): Promise<Response> {
  const { scope, request } = context
  const filter = filterOf(context.query.query)
  const turn = await lasting(limits.searches, context)
  try {
    const found = await search(scope, context.path, matcherOf(filter), {
      limit: searchLimit,
      signal: turn.signal,
      filter,
      hasFacts: context.query.facts,
    })
    if (request.method === 'HEAD') {
      turn.end()
      return new Response(null, { headers: { ...plainHeaders, 'transfer-encoding': 'chunked' } })
    }
    const pieces = holdingSlot(keptAlive(linesOf(found), '\n', keepAliveEvery), turn)
    return new Response(streamOf(context, pieces, turn.signal), { headers: plainHeaders })
  } catch (error) {
    turn.end()
    throw error
  }
}

async function* linesOf(batches: AsyncIterable<Hit[]>): AsyncGenerator<string> {
  for await (const hits of batches) yield `${hits.map((hit) => JSON.stringify(hit)).join('\n')}\n`
}
