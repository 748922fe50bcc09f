import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Route, route } from '../access/routes.ts'
import { Failure } from '../failure.ts'
import { contentTypeOf } from '../files/kinds.ts'
import { accepts } from '../http/compress.ts'
import { returnsBytes } from '../http/returns.ts'
import { brandingFile } from '../settings/branding.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { parseEncodedPath } from '../storage/path.ts'

/** How the build names the compressed neighbours of a file, best first. */
const neighbours = { br: '.br', zstd: '.zst', gzip: '.gz' } as const

/** The files of the client. The list is made once: what the build did not make cannot be asked for. */
export function assetRoutes(folder: string, settings: ReadSettings): Route[] {
  const files = filesBelow(folder)
  return [
    route({
      method: 'GET',
      path: '/static/*',
      access: 'anyone',
      summary: 'A file of the web client, or one that the branding puts in its place.',
      returns: returnsBytes('The file'),
      sample: { at: 'manifest.json' },
      async answer({ match, endsWithSlash, request }) {
        const file = parseEncodedPath(match.rest)
        const own = await brandingFile(await settings(), file)
        if (own !== undefined) return new Response(Bun.file(own), { headers: headersFor(file, 'public, max-age=3600') })
        if (endsWithSlash || !files.has(file) || file === '/index.html')
          throw new Failure('not-found', 'There is no such file')
        const encoding = encodingFor(request, file, files)
        return new Response(Bun.file(join(folder, encoding === undefined ? file : file + neighbours[encoding])), {
          headers: {
            ...headersFor(file, isHashed(file) ? 'public, max-age=31536000, immutable' : 'public, max-age=86400'),
            vary: 'Accept-Encoding',
            ...(encoding !== undefined && { 'content-encoding': encoding }),
          },
        })
      },
    }),
  ]
}

const headersFor = (file: string, caching: string) => ({
  'cache-control': caching,
  'content-disposition': 'inline',
  'content-security-policy': isScript(file) ? policyOfWorkers : policyOfPages,
  'content-type': contentTypeOf(file),
  'x-content-type-options': 'nosniff',
})

/** An SVG can be opened as a page of its own; the policy keeps it from running script there. */
const policyOfPages = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** A worker follows the policy of its own script, and a sandbox would keep it from starting. It may decode and fetch. */
const policyOfWorkers = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"

const isScript = (file: string): boolean => /\.m?js$/.test(file)

/** The build puts a hash of the content into these names, so a name never means anything else. */
const isHashed = (file: string): boolean => file.startsWith('/assets/')

function encodingFor(request: Request, file: string, files: ReadonlySet<string>) {
  const header = request.headers.get('accept-encoding') ?? ''
  return (['br', 'zstd', 'gzip'] as const).find(
    (encoding) => accepts(header, encoding) && files.has(file + neighbours[encoding]),
  )
}

function filesBelow(folder: string): ReadonlySet<string> {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return new Set(names.filter((name) => statSync(join(folder, name)).isFile()).map((name) => `/${name}`))
  } catch {
    return new Set()
  }
}
