import { QueryClient } from '@tanstack/react-query'
import { onSessionEnd } from '../state/session-scope.ts'
import { ApiError } from './client.ts'

/** What the server said last, by question. One for the page. */
export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // A folder is looked at again when somebody comes back to it, not while they look at it.
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

// What one person was shown must not flash up before the eyes of the next one.
onSessionEnd(() => cache.clear())
