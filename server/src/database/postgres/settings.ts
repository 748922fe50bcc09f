import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import { types } from 'pg'
import { Failure } from '../../failure.ts'
import { urlOf } from '../address.ts'
import { passwordIn } from './password-file.ts'

/** In milliseconds: for a new connection, or for one that is free. Many requests at once are slow, not refused. */
const connectionPatience = 15_000

/**
 * How connections to an address are made: with the parameters, variables and files of PostgreSQL's own programs. The driver
 * reads some of them differently, and warns of others.
 */
export function settingsFor(address: string): ClientConfig {
  const url = urlOf(address)
  const { host, port, user, password, sslmode, sslrootcert, sslcert, sslkey, passfile, ...others } = Object.fromEntries(
    url.searchParams,
  )
  const { PGPASSWORD, PGPASSFILE, PGSSLMODE, PGSSLROOTCERT, PGHOST, HOME = '' } = process.env
  const known = {
    host: host || decodeURIComponent(url.hostname).replace(/^\[(.+)\]$/, '$1') || PGHOST || 'localhost',
    user: user || decodeURIComponent(url.username),
    database: decodeURIComponent(url.pathname.slice(1)),
    ...((port || url.port) && { port: Number(port || url.port) }),
  }
  const file = passfile || PGPASSFILE || `${HOME}/.pgpass`
  const given = password || decodeURIComponent(url.password) || PGPASSWORD
  const tls = { mode: sslmode || PGSSLMODE, root: sslrootcert || PGSSLROOTCERT, cert: sslcert, key: sslkey }
  return {
    application_name: 'filestead',
    connectionTimeoutMillis: connectionPatience,
    keepAlive: true,
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
    ...others,
    ...known,
    // The driver completes what is left out, and asks only where the server wants a password.
    password: given || ((to: typeof known & { port: number } = { port: 5432, ...known }) => passwordIn(file, to)),
    ssl: known.host.startsWith('/') ? false : tlsFor(tls),
  }
}

interface Tls {
  readonly mode: string | undefined
  /** Files: of the authority that has signed the server's certificate, and of a certificate of our own. */
  readonly root: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

function tlsFor({ mode = 'disable', root, cert, key }: Tls): ClientConfig['ssl'] {
  const own = { ...(cert && { cert: contentOf(cert) }), ...(key && { key: contentOf(key) }) }
  const known = root ? { ca: contentOf(root) } : {}
  switch (mode) {
    case 'disable':
      return false
    case 'require':
      // As PostgreSQL's own programs have it: who has an authority wants its signature.
      return root ? { ...own, ...known, ...anyHost } : { ...own, rejectUnauthorized: false }
    case 'verify-ca':
      // The authorities that every system knows give a certificate to every owner of some host.
      if (!root) throw new Failure('invalid', 'sslmode=verify-ca needs sslrootcert, the file of your own authority')
      return { ...own, ...known, ...anyHost }
    case 'verify-full':
      return { ...own, ...known }
    default:
      throw new Failure(
        'invalid',
        `The address of a database may say sslmode=disable, require, verify-ca or verify-full, not ${mode}`,
      )
  }
}

const anyHost = { checkServerIdentity: () => undefined }

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Failure('invalid', `The certificate ${file} cannot be read: ${(error as Error).message}`)
  }
}

const numeric: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC])
const toFlag = (text: string): number => (text === 't' ? 1 : 0)

/** Numbers are numbers, and flags 0 or 1, as the schema has them. */
function parserOf(type: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (numeric.has(type)) return Number
  if (type === types.builtins.BOOL) return toFlag
  return types.getTypeParser(type, format as 'text')
}
