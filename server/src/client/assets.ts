import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import { type Route, route } from '../access/routes.ts'
import { contentTypeOf } from '../entries/kinds.ts'
import { Failure } from '../failure.ts'
import { accepts } from '../http/compress.ts'
import { returnsBytes } from '../http/returns.ts'
import { brandingFile } from '../settings/branding.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { parseEncodedPath } from '../storage/path.ts'

/** The extensions of the compressed copies that the build makes, best first. */
const compressedCopies = { br: '.br', zstd: '.zst', gzip: '.gz' } as const

/** The files of the built client. They are listed once, at the start; no other path is served. */
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
        const { body, encoding } = await bodyFor(request, folder, file, files)
        return new Response(body, {
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

interface Body {
  readonly body: Blob | Uint8Array<ArrayBuffer>
  readonly encoding: string | undefined
}

/**
 * The best copy that the client accepts. `npm start` builds without copies, because they take longer than the rest of
 * the build; then files are compressed for each request, lightly and by other threads.
 */
async function bodyFor(request: Request, folder: string, file: string, files: ReadonlySet<string>): Promise<Body> {
  const header = request.headers.get('accept-encoding') ?? ''
  const copy = (['br', 'zstd', 'gzip'] as const).find(
    (encoding) => accepts(header, encoding) && files.has(file + compressedCopies[encoding]),
  )
  const plain = Bun.file(join(folder, file))
  if (copy !== undefined) return { body: Bun.file(join(folder, file + compressedCopies[copy])), encoding: copy }
  const encoding = (['zstd', 'gzip'] as const).find((encoding) => accepts(header, encoding))
  const hasCopies = Object.values(compressedCopies).some((end) => files.has(file + end))
  if (encoding === undefined || hasCopies || !isText(file) || plain.size < worthwhile)
    return { body: plain, encoding: undefined }
  return { body: await compressors[encoding](await plain.bytes()), encoding }
}

/** In bytes: shorter files fit into one packet anyway. */
const worthwhile = 1024

const isText = (file: string): boolean => /\.(css|html|js|json|mjs|svg|txt|wasm|xml)$/.test(file)

type Compress = (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>

const compressors: Record<'zstd' | 'gzip', Compress> = { zstd: promisify(zstdCompress), gzip: promisify(gzip) }

const headersFor = (file: string, caching: string) => ({
  'cache-control': caching,
  'content-disposition': 'inline',
  'content-security-policy': isScript(file) ? policyOfWorkers : policyOfPages,
  'content-type': contentTypeOf(file),
  'x-content-type-options': 'nosniff',
})

/** An SVG can be opened as a page; the policy forbids it to run scripts. */
const policyOfPages = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** A worker has the policy of its script. A sandbox would keep it from starting; it needs WebAssembly and fetch. */
const policyOfWorkers = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"

const isScript = (file: string): boolean => /\.m?js$/.test(file)

/** These names contain a hash of the content, and can be cached for ever. */
const isHashed = (file: string): boolean => file.startsWith('/assets/')

function filesBelow(folder: string): ReadonlySet<string> {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return new Set(names.filter((name) => statSync(join(folder, name)).isFile()).map((name) => `/${name}`))
  } catch {
    return new Set()
  }
}
