import { folderOf } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'

export const search = timedWork({
  name: 'search',
  subject: folderOf(({ manyEntries }) => manyEntries),
  tool: { name: 'find -iname', limit: 3, argv: ({ disk }) => ['find', disk, '-iname', '*entry-99*'] },
  request: ({ served }) => ({ method: 'GET', path: `/api/search${served}/?query=entry-99` }),
})
