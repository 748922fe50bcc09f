import type { TakeoverReport } from '@filestead/contract'
import { call } from '../client.ts'

/** What changed when a database of File Browser was taken over; null when there is nothing new, or an administrator has seen it. */
export async function readTakeover(signal: AbortSignal): Promise<TakeoverReport | null> {
  const response = await call('GET', 'takeover', { signal })
  return response.status === 204 ? null : response.json()
}

export const markTakeoverSeen = async (): Promise<void> => void (await call('DELETE', 'takeover'))
