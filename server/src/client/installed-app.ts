import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { forAnyone, type Route } from '../access/routes.ts'
import { Failure } from '../failure.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { toFailure } from '../storage/linux/errno.ts'

/** What a browser fetches to install the page as an app: the manifest with name and colour, and the service worker. */
export function installedAppRoutes(folder: string, settings: ReadSettings): Route[] {
  return [
    forAnyone('GET', '/static/manifest.json', async () => {
      const { branding } = await settings()
      const manifest = JSON.parse(built(folder, 'manifest.json'))
      const name = branding.name || 'File Browser'
      const colour = branding.color === '' ? {} : { theme_color: branding.color }
      return new Response(JSON.stringify({ ...manifest, name, short_name: name, ...colour }), {
        headers: { ...headers, 'content-type': 'application/manifest+json' },
      })
    }),
    // At the base, not below /static: a service worker speaks for what lies below its own address.
    forAnyone('GET', '/service-worker.js', () => {
      const script = built(folder, 'service-worker.js')
      return new Response(script, {
        headers: {
          ...headers,
          'content-security-policy': "default-src 'none'; connect-src 'self'",
          'content-type': 'text/javascript; charset=utf-8',
        },
      })
    }),
  ]
}

const headers = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }

function built(folder: string, name: string): string {
  const file = join(folder, name)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw existsSync(file) ? toFailure(error) : new Failure('unavailable', 'The web client has not been built')
  }
}
