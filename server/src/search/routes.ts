import { plainHeaders } from '../http/answers.ts'
import { streamOf } from '../http/compress.ts'
import { type AskedByUser, forUsers, type Route } from '../http/routes.ts'
import { keptAlive } from './keep-alive.ts'
import { parseQuery } from './query.ts'
import { type Hit, search } from './search.ts'

export interface SearchRoutesOptions {
  searchLimit: number
}

const silence = 5000

export const searchRoutes = ({ searchLimit }: SearchRoutesOptions): Route[] => [
  forUsers('GET', '/api/search/*', [], (asked) => answerSearch(asked, searchLimit)),
]

/** One JSON object a line, sent as they are found. Not compressed, because a compressor would hold them back. */
async function answerSearch(asked: AskedByUser, limit: number): Promise<Response> {
  const { scope, request } = asked
  const matches = parseQuery(asked.query('query') ?? '')
  const found = await search(scope, asked.path(), matches, { limit, signal: request.signal })
  return new Response(streamOf(keptAlive(linesOf(found), '\n', silence)), { headers: plainHeaders })
}

async function* linesOf(batches: AsyncIterable<Hit[]>): AsyncGenerator<string> {
  for await (const hits of batches) yield `${hits.map((hit) => JSON.stringify(hit)).join('\n')}\n`
}
