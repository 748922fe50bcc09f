import type { WebSettings } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, getJson } from './client.ts'

export const settingsQuery = () =>
  queryOptions({ queryKey: ['settings'], queryFn: ({ signal }) => getJson<WebSettings>('settings', { signal }) })

export const saveSettings = async (settings: WebSettings): Promise<void> =>
  void (await call('PUT', 'settings', { body: settings }))
