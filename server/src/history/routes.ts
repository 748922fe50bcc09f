import { Trash, TrashQuery } from '@filestead/contract'
import { type Route, route } from '../access/routes.ts'
import { json } from '../http/answers.ts'
import { returnsJson } from '../http/returns.ts'
import { listTrash, type TrashDeps } from './trash.ts'

export const historyRoutes = (deps: TrashDeps): Route[] => [
  route({
    method: 'GET',
    path: '/api/trash',
    access: [],
    summary: 'What was removed or replaced and can be restored, the newest first.',
    details:
      'Only what the caller could see where it was. Up to 500 at once; `before` with the `next` of a page asks for the following one. Jobs of the kinds `restore` and `purge` act on items.',
    query: TrashQuery,
    returns: returnsJson(Trash, 'A page of the trash'),
    sample: {},
    answer: async (context) => json(await listTrash(deps, context.scope, context.query, context.cancellation), context),
  }),
]
