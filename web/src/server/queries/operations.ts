import type { Operation } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { getJson } from '../client.ts'

/** What the person did in the last day, from whichever device, the newest first. */
export const operationsQuery = () =>
  queryOptions({ queryKey: ['operations'], queryFn: ({ signal }) => getJson<Operation[]>('operations', { signal }) })
