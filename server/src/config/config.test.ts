import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { databasesIn, knownRoot, readConfig, readFirstStart, storableConfig, withServerFlags } from './config.ts'
import type { ConfigFile } from './file.ts'
import { ServerOptions } from './options.ts'

const fileWith = (values: Record<string, unknown>): ConfigFile => ({ path: '/etc/x.json', values, notices: [] })

const variables: string[] = []
function setVariable(name: string, value: string): void {
  variables.push(name)
  process.env[name] = value
}
afterEach(() => {
  for (const name of variables.splice(0)) delete process.env[name]
})

describe('precedence', () => {
  const stored = { port: 1004 }
  const file = fileWith({ port: 1003 })

  test('flags, then our variables, then the old ones, then the file, the database and the default', () => {
    const port = (flags: Record<string, unknown>) => readConfig(flags, stored, file).port
    expect(readConfig({}, {}).port).toBe(8080)
    expect(readConfig({}, stored).port).toBe(1004)
    expect(port({})).toBe(1003)
    setVariable('FB_PORT', '1002')
    expect(port({})).toBe(1002)
    setVariable('FILESTEAD_PORT', '1001')
    expect(port({})).toBe(1001)
    expect(port({ port: '1000' })).toBe(1000)
  })

  test('a switch can be switched off by what is nearer', () => {
    setVariable('FB_DISABLE_EXEC', 'f')
    expect(readConfig({}, { disableExec: true }).disableExec).toBe(false)
    expect(readConfig({ disableExec: 'true' }, {}).disableExec).toBe(true)
  })

  test('an empty variable is none, an empty flag is a value', () => {
    setVariable('FB_LOG', '')
    expect(readConfig({}, {}).log).toBe('stdout')
    expect(readConfig({ log: '' }, {}).log).toBe('')
  })
})

test.each([
  ['FB_BASE_URL', '/files', 'baseURL', '/files'],
  ['FB_BASEURL', '/files/', 'baseURL', '/files'],
  ['FILESTEAD_BASE_URL', '/files', 'baseURL', '/files'],
  ['FB_TOKEN_EXPIRATION_TIME', '1h', 'tokenExpirationTime', '1h'],
  ['FB_REDIS_CACHE_URL', 'redis://x', 'redisCacheUrl', 'redis://x'],
  ['FB_IMG_PROCESSORS', '2', 'imageProcessors', 2],
  ['FB_DISABLE_TYPE_DETECTION_BY_HEADER', 'T', 'disableTypeDetectionByHeader', true],
  ['FB_DISABLE_IMAGE_RESOLUTION_CALC', '1', 'disableImageResolutionCalc', true],
  ['FB_FOLLOW_EXTERNAL_SYMLINKS', 'yes', 'followExternalSymlinks', true],
  ['FB_SOCKET_PERM', '0660', 'socketPerm', 0o660],
  ['FILESTEAD_CACHE_SIZE', '2GB', 'cacheSize', 2_000_000_000],
  ['FILESTEAD_COMMAND_TIMEOUT', '5m', 'commandTimeout', 300],
] as const)('%s=%s sets %s', (name, value, key, expected) => {
  setVariable(name, value)
  expect(readConfig({}, {})[key]).toBe(expected)
})

test('the defaults', () => {
  expect(readConfig({ database: '/db/files.db' }, {})).toMatchObject({
    address: '127.0.0.1',
    root: process.cwd(),
    log: 'stdout',
    socketPerm: 0o666,
    cacheDir: '/db/files.db-cache',
    cacheSize: 1_000_000_000,
    maxImagePixels: 100_000_000,
    imageProcessors: 4,
    searchLimit: 10_000,
    uploadLifetime: 86_400,
    commandTimeout: 60,
    disableExec: true,
    readOnly: false,
  })
})

describe('mistakes', () => {
  const wrong = {
    root: '',
    address: true,
    port: '80a',
    baseURL: 'files',
    socketPerm: '999',
    trustedProxies: '10.0.0.0/99',
    cacheSize: 'large',
    imageProcessors: '0',
    maxImagePixels: '-1',
    disableThumbnails: 'maybe',
    uploadLifetime: 'long',
    searchLimit: '0',
    commandTimeout: '1 minute',
  }

  test.each(Object.entries(wrong))('%s %j is told by the name of its flag', (key, value) => {
    expect(() => readConfig({ [key]: value }, {})).toThrow(new RegExp(`^--${key} ${escaped(value)} must [^\n]+$`))
  })

  test('all at once, each by the name of where it came from', () => {
    setVariable('FB_SEARCH_LIMIT', 'x')
    expect(() => readConfig({ port: 'a' }, { cacheSize: 'b' }, fileWith({ imageProcessors: 0 }))).toThrow(
      '--port "a" must be a whole number from 0 to 65535; ' +
        'the stored --cacheSize "b" must be an amount such as 500M, 1GB or 64MiB; ' +
        'imageProcessors in /etc/x.json 0 must be a whole number of at least 1; ' +
        'FB_SEARCH_LIMIT "x" must be a whole number of at least 1',
    )
  })

  test('a certificate without its key', () => {
    expect(() => readConfig({ cert: 'a.pem' }, {})).toThrow('--cert and --key only work together')
    expect(readConfig({ cert: 'a.pem' }, { key: 'a.key' })).toMatchObject({ cert: 'a.pem', key: 'a.key' })
  })

  test('a socket and an address at once', () => {
    expect(() => readConfig({ socket: 's', port: 80, key: 'k' }, {})).toThrow(
      '--socket cannot be used together with --port and --key',
    )
    expect(() => readConfig({ socket: 's' }, {}, fileWith({ address: '::' }))).toThrow('address in /etc/x.json')
  })

  test('a named address wins over a stored socket, and a named socket over a stored address', () => {
    expect(readConfig({ port: 80 }, { socket: '/s' }).socket).toBe('')
    expect(readConfig({ socket: '/s' }, { port: 80 }).socket).toBe('/s')
  })

  test('an empty administrator or database', () => {
    expect(() => readFirstStart({ username: '' })).toThrow('--username "" must not be empty')
    expect(() => databasesIn({ database: '' })).toThrow('--database must not be empty')
  })
})

test('a lifetime that cannot be read is left to the server, which warns', () => {
  expect(readConfig({}, { tokenExpirationTime: 'soon' }).tokenExpirationTime).toBe('soon')
  expect(() => withServerFlags({ tokenExpirationTime: 'soon' }, {})).toThrow('--tokenExpirationTime "soon"')
})

describe('what the database remembers', () => {
  test('only what was named, with absolute paths and real booleans', () => {
    expect(
      withServerFlags(
        { root: 'files', disableExec: 'false', cacheSize: '2GB', log: 'a.log', cacheDir: '' },
        { port: 1 },
      ),
    ).toEqual({
      port: 1,
      root: join(process.cwd(), 'files'),
      disableExec: false,
      cacheSize: '2GB',
      log: join(process.cwd(), 'a.log'),
      cacheDir: '',
    })
  })

  test('an address removes the socket', () => {
    expect(withServerFlags({ address: '::1' }, { socket: '/s', port: 1 })).toEqual({ address: '::1', port: 1 })
  })

  test('a first start remembers the environment and the file too', () => {
    setVariable('FILESTEAD_PORT', '9000')
    expect(storableConfig({ redisCacheUrl: 'x' }, fileWith({ baseURL: '/f' }))).toEqual({ port: '9000', baseURL: '/f' })
  })
})

describe('the root', () => {
  test('is known only when it was named', () => {
    expect(knownRoot({}, {})).toBeUndefined()
    expect(knownRoot({}, { root: '/a' })).toBe('/a')
    expect(knownRoot({}, { root: '/a' }, fileWith({ root: '/b' }))).toBe('/b')
    setVariable('FB_ROOT', '/c')
    expect(knownRoot({}, { root: '/a' }, fileWith({ root: '/b' }))).toBe('/c')
    expect(knownRoot({ root: '/d' }, {})).toBe('/d')
  })
})

describe('where no database is named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-database-'))
  const here = join(folder, 'served')
  const state = join(folder, 'state')
  const before = process.cwd()
  const old = Buffer.alloc(8192)
  old.writeUInt32LE(0xed0cdaed, 16)
  const sqlite = Buffer.alloc(4096)
  sqlite.write('SQLite format 3\0')

  beforeEach(() => {
    mkdirSync(here)
    process.chdir(here)
    setVariable('XDG_STATE_HOME', state)
  })
  afterEach(() => {
    process.chdir(before)
    for (const path of [here, state]) rmSync(path, { recursive: true, force: true })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const found = () => {
    const { file, predecessor, ignored, isUntrusted } = databasesIn({})
    return { file, predecessor, ignored, isUntrusted }
  }
  const at = (file: string, more = {}) => ({
    file,
    predecessor: undefined,
    ignored: [],
    isUntrusted: false,
    ...more,
  })

  test('a new one is kept outside of the folder, one for each', () => {
    const { file } = found()
    expect(file).toMatch(new RegExp(`^${state}/filestead/served-[0-9a-f]{10}\\.db$`))
    mkdirSync('below')
    process.chdir('below')
    expect(databasesIn({}).file).not.toBe(file)
  })

  test('a relative state folder is none, and nothing is kept in the folder itself', () => {
    setVariable('XDG_STATE_HOME', 'state')
    expect(databasesIn({}).file).not.toStartWith(here)
  })

  test('the one that lies in the folder goes on being used, and so does that of File Browser', () => {
    writeFileSync('filebrowser.db', old)
    expect(found()).toEqual(at(join(here, 'filestead.db'), { predecessor: join(here, 'filebrowser.db') }))
    rmSync('filebrowser.db')
    writeFileSync('filestead.db', sqlite)
    expect(found()).toEqual(at(join(here, 'filestead.db')))
  })

  test('a database of Filestead that appeared beside it is ignored', () => {
    writeFileSync('filestead.db', sqlite)
    writeFileSync('filebrowser.db', sqlite)
    expect(found()).toEqual(at(join(here, 'filestead.db'), { ignored: [join(here, 'filebrowser.db')] }))
  })

  test('a database of Filestead under the old name is not trusted unless it is named', () => {
    writeFileSync('filebrowser.db', sqlite)
    expect(found()).toEqual(at(join(here, 'filebrowser.db'), { isUntrusted: true }))
    expect(databasesIn({ database: 'filebrowser.db' })).toMatchObject(at(join(here, 'filebrowser.db')))
  })

  test.each(['filestead.db', 'filebrowser.db'])('%s that appears later does not take the place of it', (name) => {
    const { file } = found()
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, sqlite)
    for (const content of [sqlite, old]) {
      writeFileSync(name, content)
      expect(found()).toEqual(at(file, { ignored: [join(here, name)] }))
    }
  })

  test('flags win over variables, and these over the config file', () => {
    expect(databasesIn({}, fileWith({ database: '/d' })).file).toBe('/d')
    setVariable('FB_DATABASE', '/e')
    expect(databasesIn({}, fileWith({ database: '/d' })).file).toBe('/e')
    expect(databasesIn({ database: '/f' }).file).toBe('/f')
  })
})
test('every option can be explained', () => {
  for (const [key, schema] of Object.entries(ServerOptions.shape))
    expect([key, schema.meta()?.description]).toEqual([key, expect.stringMatching(/.{8}/)])
})

const escaped = (value: unknown): string => JSON.stringify(value).replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
