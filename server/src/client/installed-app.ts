import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Route, route } from '../access/routes.ts'
import { Failure } from '../failure.ts'
import { returnsBytes } from '../http/returns.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { toFailure } from '../storage/linux/errno.ts'

/** What a browser fetches to install the page as an app: its manifest and its service worker. */
export function installedAppRoutes(folder: string, settings: ReadSettings): Route[] {
  return [
    route({
      method: 'GET',
      path: '/static/manifest.json',
      access: 'anyone',
      summary: 'Name, colour and icons of the installed page.',
      returns: returnsBytes('The manifest', 'application/manifest+json'),
      sample: {},
      async answer() {
        const { branding } = await settings()
        const manifest = JSON.parse(built(folder, 'manifest.json'))
        const name = branding.name || 'File Browser'
        const colour = branding.color === '' ? {} : { theme_color: branding.color }
        return new Response(JSON.stringify({ ...manifest, name, short_name: name, ...colour }), {
          headers: { ...headers, 'content-type': 'application/manifest+json' },
        })
      },
    }),
    // At the base, not below /static: a service worker speaks for what lies below its own address.
    route({
      method: 'GET',
      path: '/service-worker.js',
      access: 'anyone',
      summary: 'The service worker of the installed page.',
      returns: returnsBytes('The script', 'text/javascript'),
      sample: {},
      answer() {
        const script = built(folder, 'service-worker.js')
        return new Response(script, {
          headers: {
            ...headers,
            'content-security-policy': "default-src 'none'; connect-src 'self'",
            'content-type': 'text/javascript; charset=utf-8',
          },
        })
      },
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
