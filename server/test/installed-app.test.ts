import { afterAll, expect, test } from 'bun:test'
import type { WebSettings } from '@filestead/contract'
import { startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())

test('an installed app has the name and the colour of the instance', async () => {
  const before = await (await server.ask('/static/manifest.json')).json()
  expect(before).toMatchObject({ name: 'File Browser', display: 'standalone' })

  await server.addUser('admin', { isAdmin: true })
  const admin = await server.as('admin')
  const settings = (await (await admin('/api/settings')).json()) as WebSettings
  const branding = { ...settings.branding, name: 'Our attic', color: '#334455' }
  await admin('/api/settings', { method: 'PUT', body: JSON.stringify({ ...settings, branding }) })

  const response = await server.ask('/static/manifest.json')
  expect(response.headers.get('content-type')).toBe('application/manifest+json')
  expect(await response.json()).toMatchObject({ name: 'Our attic', short_name: 'Our attic', theme_color: '#334455' })
})

test('the service worker is served from the base URL and loads nothing from other hosts', async () => {
  const response = await server.ask('/service-worker.js')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; connect-src 'self'")
  expect((await server.ask('/static/offline.html')).status).toBe(200)
})
