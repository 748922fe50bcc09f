import type { SessionInfo } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, getJson } from '../client.ts'

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => getJson<SessionInfo[]>('sessions', { signal }),
  })

export const endSession = async (id: string): Promise<void> =>
  void (await call('DELETE', `sessions/${encodeURIComponent(id)}`))

export const endOtherSessions = async (): Promise<void> => void (await call('DELETE', 'sessions'))
