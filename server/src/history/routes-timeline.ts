import { FolderAt, FolderAtQuery, Timeline } from '@filestead/contract'
import { type Route, route } from '../access/routes.ts'
import { json } from '../http/answers.ts'
import { returnsJson } from '../http/returns.ts'
import { folderAt } from './folder-at.ts'
import { type TimelineDeps, timelineOf } from './timeline.ts'

export const timelineRoutes = (deps: TimelineDeps): Route[] => [
  route({
    method: 'GET',
    path: '/api/timeline/*',
    access: [],
    summary: 'All states of a file or folder, the newest first: now, versions, the trash and snapshots.',
    details:
      'Only what the caller may see. Also for a path where nothing is any more. `past` of a state, as the query of what reads, gives its contents.',
    returns: returnsJson(Timeline, 'The states'),
    sample: { at: 'kept.txt' },
    answer: async (context) => json(await timelineOf(deps, context.scope, context.path), context),
  }),
  route({
    method: 'GET',
    path: '/api/timeline-folder/*',
    access: [],
    summary: 'A folder as it was at a time, and the times at which something in it changed.',
    details:
      'At the time of a snapshot it is that one. At others it is put together of what is there and was not changed since, and of what was kept since.',
    query: FolderAtQuery,
    returns: returnsJson(FolderAt, 'The folder'),
    sample: { at: 'box', query: { at: 0 } },
    answer: async (context) =>
      json(await folderAt(deps, context.scope, context.path, context.query.at, context.cancellation), context),
  }),
]
