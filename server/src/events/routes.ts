import { EventsQuery } from '@filestead/contract'
import { type Route, route } from '../access/routes.ts'
import { parsePath } from '../storage/path.ts'
import { answerStream, streamHeaders } from './answer-stream.ts'
import type { Events } from './hub.ts'

export const eventRoutes = (events: Events): Route[] => [
  route({
    method: 'GET',
    path: '/api/events',
    access: [],
    guests: true,
    summary: 'What changes, as server-sent events: in open folders, of own jobs, uploads and links.',
    details:
      'Begins with `hello`. A folder that is opened later needs another stream. After a connection that broke, the header Last-Event-ID or the query `last` continues behind that event, or `reset` tells that too much has happened since. Rights are asked for with each event.',
    query: EventsQuery,
    returns: { status: 200, description: 'A stream of events', contentType: 'text/event-stream' },
    sample: { query: { seconds: 0 } },
    async answer(context) {
      const { query, request, caller, scope, again } = context
      const folders = [...new Set(query.folder.map(parsePath))]
      if (request.method === 'HEAD') return new Response(null, { headers: streamHeaders })
      const key = scope.actor.user.id
      const session = caller?.sessionId ?? `guest ${key}`
      const last = request.headers.get('last-event-id') ?? query.last
      return answerStream(context, async (ended) => {
        const listener = await events.listen({ key, session, folders, all: query.all === 'true', again }, last, ended)
        const { seconds } = query
        if (seconds === 0) void events.settled(listener).then(() => listener.end())
        else if (seconds !== undefined) setTimeout(() => listener.end(), seconds * 1000).unref()
        return listener
      })
    },
  }),
]
