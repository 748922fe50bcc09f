import type { Trash } from '@filestead/contract'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { getJson } from '../client.ts'

/** What is in the trash, page by page, the newest first; with words, what is called like that. */
export const trashQuery = (words: string) =>
  infiniteQueryOptions({
    queryKey: ['trash', words],
    queryFn: ({ pageParam, signal }) => getJson<Trash>(addressOf(words, pageParam), { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }: Trash) => next,
  })

function addressOf(words: string, before: string): string {
  const query = new URLSearchParams({ ...(words !== '' && { query: words }), ...(before !== '' && { before }) })
  return query.size === 0 ? 'trash' : `trash?${query}`
}
