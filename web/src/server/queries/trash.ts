import { type KeptItem, parentOf, type Trash } from '@filestead/contract'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { getJson } from '../client.ts'

/** What is in the trash, page by page, the newest first; with words, what is called like that. */
export const trashQuery = (words: string) =>
  infiniteQueryOptions({
    queryKey: ['trash', words],
    queryFn: ({ pageParam, signal }) => getJson<Trash>(addressOf(words, pageParam), { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }: Trash) => next,
  })

/** Pages of what was deleted in and below a folder that are looked through for what was directly in it. */
const mostPages = 10

/** What was deleted from a folder, the newest first; of several with one name the newest. */
export const deletedFromQuery = (folder: string) =>
  queryOptions({
    queryKey: ['trash', 'from', folder],
    async queryFn({ signal }) {
      const found = new Map<string, KeptItem>()
      let before: string | undefined = ''
      for (let page = 0; page < mostPages && before !== undefined; page += 1) {
        const trash: Trash = await getJson<Trash>(addressOf('', before, folder), { signal })
        for (const item of trash.items)
          if (parentOf(item.path) === folder && !found.has(item.name)) found.set(item.name, item)
        before = trash.next
      }
      return [...found.values()]
    },
  })

function addressOf(words: string, before: string, below = ''): string {
  const wanted = { query: words, before, below }
  const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''))
  return query.size === 0 ? 'trash' : `trash?${query}`
}
