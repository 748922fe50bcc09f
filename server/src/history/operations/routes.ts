import { Operations } from '@filestead/contract'
import { type Route, route } from '../../access/routes.ts'
import { json } from '../../http/answers.ts'
import { returnsJson } from '../../http/returns.ts'
import { type ListDeps, listOperations } from './list.ts'

export const operationRoutes = (deps: ListDeps): Route[] => [
  route({
    method: 'GET',
    path: '/api/operations',
    access: [],
    summary: 'What the caller did in the last day, the newest first, and whether it can be taken back.',
    details: 'What was done in one act is one entry. A job of the kind `undo` takes it back, by its id.',
    returns: returnsJson(Operations, 'A list of operations'),
    sample: {},
    answer: async (context) => json(await listOperations(deps, context.scope), context),
  }),
]
