import type { WebSettings } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, getJson, throwConnectionLost, versionIn } from '../client.ts'

export const settingsQuery = () =>
  queryOptions({ queryKey: ['settings'], queryFn: ({ signal }) => getJson<WebSettings>('settings', { signal }) })

/** The settings as they are at this moment, and which version that is. */
export async function readSettings(): Promise<{ settings: WebSettings; version: string | null }> {
  const response = await call('GET', 'settings')
  return { settings: await response.json().catch(throwConnectionLost), version: versionIn(response) }
}

/** Replaces the settings, if they still are that version (`null`: whatever they are). */
export async function saveSettings(settings: WebSettings, version: string | null): Promise<void> {
  const headers: Record<string, string> = version === null ? {} : { 'If-Match': version }
  await call('PUT', 'settings', { body: settings, headers })
}
