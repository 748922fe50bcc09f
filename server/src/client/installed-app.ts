import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Route, route } from '../access/routes.ts'
import { Failure, isFailure } from '../failure.ts'
import { returnsBytes } from '../http/returns.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { toFailure } from '../storage/linux/errno.ts'

/** The manifest and the service worker, with which browsers install the page as an app. */
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
        const manifest = JSON.parse(await builtFile(folder, 'manifest.json'))
        const name = branding.name || 'File Browser'
        const colour = branding.color === '' ? {} : { theme_color: branding.color }
        return new Response(JSON.stringify({ ...manifest, name, short_name: name, ...colour }), {
          headers: { ...headers, 'content-type': 'application/manifest+json' },
        })
      },
    }),
    // Not below /static: the scope of a service worker is the folder of its script.
    route({
      method: 'GET',
      path: '/service-worker.js',
      access: 'anyone',
      summary: 'The service worker of the installed page.',
      returns: returnsBytes('The script', 'text/javascript'),
      sample: {},
      async answer() {
        const script = await builtFile(folder, 'service-worker.js')
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

const builtFile = (folder: string, name: string): Promise<string> =>
  readFile(join(folder, name), 'utf8').catch((error: unknown) => {
    const failure = toFailure(error)
    throw isFailure(failure, 'not-found') ? new Failure('unavailable', 'The web client has not been built') : failure
  })
