import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '../src/database/open.ts'
import { makePair } from './certificates.ts'
import { scratchFolder } from './disk.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { initialise, run } from './process.ts'

setDefaultTimeout(60_000)

const folder = scratchFolder('postgres-login')
const at = (name: string) => join(folder, name)
const secret = 'a:long\\secret/@#'

/** A certificate for 'localhost' alone, of an authority whose own is in authority.pem. */
function makeCertificate(): Record<string, string> {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...key, '-subj', '/CN=Authority', '-keyout', 'authority.key', '-out', 'authority.pem')
  openssl('req', ...key, '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr')
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost')
  const signed = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-days', '30', '-out', 'server.crt')
  return Object.fromEntries(['server.crt', 'server.key'].map((name) => [name, readFileSync(at(name), 'utf8')]))
}

const access = 'local all all trust\nhost all filestead all trust\nhost all ann all scram-sha-256\n'
const postgres = (await startPostgres({
  more: { ssl: 'on' },
  files: { ...makeCertificate(), 'pg_hba.conf': access },
})) as Postgres
afterAll(() => postgres?.end())

describe.skipIf(postgres === undefined)('a PostgreSQL with passwords and certificates', () => {
  let port: string
  let sockets: string
  beforeAll(async () => {
    const database = await postgres.make('files')
    port = new URL(database).port
    sockets = await postgres.socketFolder()
    await initialise(database, [], { env: {} })
    const db = await openDatabase(database)
    await sql.raw(`create role ann login superuser password '${secret}'`).execute(db)
    await db.destroy()
  })

  const addressAt = (host: string, { user = 'filestead', query = '' } = {}) =>
    `postgres://${user}@${host}:${port}/files${query}`

  /** Is the connection encrypted, or why is there none? */
  async function opened(address: string): Promise<string> {
    try {
      const db = await openDatabase(address)
      const { rows } = await sql<{ ssl: number }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(db)
      await db.destroy()
      return rows[0]?.ssl === 1 ? 'encrypted' : 'plain'
    } catch (error) {
      return (error as Error).message
    }
  }

  test('is asked with TLS as sslmode says, and only by whom the certificate convinces', async () => {
    makePair(folder, 'other')
    const [own, other] = [at('authority.pem'), at('other.pem')].map((file) => `&sslrootcert=${file}`)
    const tls = (mode: string, host = 'localhost') => opened(addressAt(host, { query: `?sslmode=${mode}` }))
    expect(await opened(addressAt('localhost'))).toBe('plain')
    expect(await tls('disable')).toBe('plain')
    expect(await tls('require')).toBe('encrypted')
    expect(await tls(`require${own}`, '127.0.0.1')).toBe('encrypted')
    expect(await tls(`require${other}`)).toContain('does not answer: unable to verify')
    expect(await tls(`verify-ca${own}`, '127.0.0.1')).toBe('encrypted')
    expect(await tls(`verify-ca${other}`)).toContain('does not answer: unable to verify')
    expect(await tls('verify-ca')).toContain('needs sslrootcert')
    expect(await tls(`verify-full${own}`)).toBe('encrypted')
    expect(await tls('verify-full')).toContain('does not answer: unable to verify')
    // The same server by a name that its certificate is not for.
    expect(await tls(`verify-full${own}`, '127.0.0.1')).toContain('does not match certificate')
    expect(await tls('prefer')).toContain('may say sslmode=disable, require, verify-ca or verify-full, not prefer')
    expect(await tls(`verify-full&sslrootcert=${at('none.pem')}`)).toContain(`${at('none.pem')} cannot be read`)
  })

  test('is found by its socket, in each way that its own programs take', async () => {
    for (const address of [
      `postgres:///files?host=${sockets}&port=${port}&user=filestead`,
      `postgres://filestead@/files?host=${sockets}&port=${port}`,
      `postgres://filestead@${encodeURIComponent(sockets)}:${port}/files?sslmode=verify-full`,
    ]) {
      expect(await opened(address)).toBe('plain')
      const { code, stdout } = await run(['users', 'ls', '-d', address])
      expect([code, stdout]).toEqual([0, expect.stringContaining('admin')])
    }
  })

  test('is given the password of the address, of PGPASSWORD or of a pgpass file, and tells none of them', async () => {
    const asked = async (address: string, env: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await run(['users', 'ls', '-d', address], { env })
      expect(stdout + stderr).not.toContain(secret)
      expect(stderr).not.toContain(encodeURIComponent(secret))
      expect(stderr.toLowerCase()).not.toContain('warning')
      return code === 0 ? 'signed in' : stderr
    }
    const address = addressAt('localhost', { user: 'ann' })
    expect(await asked(address)).toContain('the password is wrong, or none was given')
    expect(await asked(address.replace('ann', 'ann:wrong'))).toContain('the password is wrong, or none was given')
    expect(await asked(address.replace('ann', `ann:${encodeURIComponent(secret)}`))).toBe('signed in')
    expect(await asked(address, { PGPASSWORD: secret })).toBe('signed in')

    const file = at('.pgpass')
    const escaped = secret.replaceAll(/[\\:]/g, '\\$&')
    writeFileSync(file, `# host:port:database:user:password\nelsewhere:*:*:*:no\nlocalhost:${port}:*:ann:${escaped}\n`)
    chmodSync(file, 0o600)
    expect(await asked(address, { PGPASSFILE: file })).toBe('signed in')
    expect(await asked(address, { HOME: folder })).toBe('signed in')
    expect(await asked(`${address}?passfile=${file}`)).toBe('signed in')
    expect(await asked(address.replace('localhost', '127.0.0.1'), { HOME: folder })).toContain('none was given')
    chmodSync(file, 0o640)
    expect(await asked(address, { HOME: folder })).toContain(`other accounts can read the password file ${file}`)
  })
})
