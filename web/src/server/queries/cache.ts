import { QueryClient } from '@tanstack/react-query'
import { perSession } from '../../state/session-scope.ts'
import { ApiError } from '../client.ts'
import { boundListings } from './bounded-listings.ts'

/** What the server said last, by question. Each session has its own, so that none shows what another one was told. */
export const cache = perSession((scope) => {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // A folder is read again when it is opened again, not while it is in view.
        staleTime: 0,
        // Asked even when the browser believes to be offline: what fails is told, what waits in silence is not.
        networkMode: 'always',
        refetchOnWindowFocus: false,
        // A refusal is an answer. Only a lost connection is worth another try.
        retry: (failures, error) => error instanceof ApiError && error.status === 0 && failures < 2,
        // Comparing 100,000 entries one by one costs more than drawing the few that are visible.
        structuralSharing: false,
      },
    },
  })
  boundListings(client)
  scope.onEnd(() => client.clear())
  return client
})
