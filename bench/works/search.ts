import { folderOf } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'

export const search = timedWork({
  name: 'search',
  title: 'Search among 100,000 names',
  subject: folderOf(({ manyEntries }) => manyEntries),
  tool: { name: 'find -iname', limit: 3, argv: ({ disk }) => ['find', disk, '-iname', '*entry-99*'] },
  asking: ({ search }) => search && ((served) => search(served, 'entry-99')),
})
