import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allUsers } from '../src/users/store.ts'
import { CliFolder, inPairs } from './cli-folder.ts'
import { inDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { askAt, environmentWith, launch, launcher, run, signIn, untilHealthy } from './process.ts'

setDefaultTimeout(120_000)

describe('the first start', () => {
  test('makes no administrator when the password cannot be printed', async () => {
    const place = await CliFolder.unused()
    const port = await freePort()
    const words = [launcher, '-d', place.database, '-p', String(port)]
    const start = Bun.spawn(words, {
      cwd: place.folder,
      env: environmentWith(),
      stdout: Bun.file('/dev/full'),
      stderr: 'pipe',
    })
    const stderr = await start.stderr.text()
    expect([await start.exited, stderr.split('\n')[0], stderr.includes('.ts:')]).toEqual([
      1,
      'Error: standard output cannot be written: the disk is full',
      false,
    ])
    await using running = launch(['-d', place.database, '-p', String(port)], { cwd: place.folder })
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    running.signal('SIGTERM')
    expect((await running.ended).stdout).toContain('randomly generated password: ')
  })

  test('ends when nobody reads the password any more', async () => {
    const place = await CliFolder.unused()
    const words = `"$0" -d "$1" -p ${await freePort()} | true`
    const { stderr } = Bun.spawnSync(['sh', '-c', words, launcher, place.database], {
      cwd: place.folder,
      env: environmentWith(),
    })
    expect(stderr.toString()).toContain('Error: standard output cannot be written: its reader has ended\n')
    expect(await inDatabase(place.database, allUsers)).toEqual([])
  })

  test('takes the name and the hash of the administrator, and stores its options', async () => {
    const place = await CliFolder.unused()
    const { stdout: hash } = await run(['hash', '--bcrypt', 'tiny'])
    const port = await freePort()
    writeFileSync(join(place.folder, '.filestead.json'), JSON.stringify({ Port: port, username: 'root' }))
    const start = async (words: string[]) => {
      await using running = launch(['-d', place.database, ...words], { cwd: place.folder })
      await untilHealthy(`http://127.0.0.1:${port}`, running)
      await signIn(`http://127.0.0.1:${port}`, { username: 'root', password: 'tiny' })
      running.signal('SIGTERM')
      return running.ended
    }
    const first = await start(['--password', hash.trim(), '--disableExec=false'])
    expect(first.stdout).toContain('the password given with --password')
    expect(first.stderr).toContain('Using config file: .filestead.json\n')
    expect((await place.stored()).server).toEqual({ port, disableExec: false })
    rmSync(join(place.folder, '.filestead.json'))
    const second = await start(['--noauth'])
    expect(second.stderr).toContain(`--noauth counts only at the first start: ${place.database} is there already\n`)
    expect((await place.stored()).settings.authMethod).toBe('json')
  })

  test('can switch off sign-in', async () => {
    const place = await CliFolder.unused()
    const port = await freePort()
    await using running = launch(['--noauth', '-p', String(port)], {
      cwd: place.folder,
      env: { ...place.env, FB_REDIS_CACHE_URL: 'x' },
    })
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    expect((await askAt(`http://127.0.0.1:${port}`, '/api/login', { method: 'POST' })).status).toBe(200)
    running.signal('SIGTERM')
    expect((await running.ended).stderr).toContain('--redisCacheUrl is ignored')
  })

  test('calls the installation Filestead, and an empty name shows the generic one', async () => {
    const place = await CliFolder.unused()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    await using running = launch(['-p', String(port), '-d', place.database], { cwd: place.folder })
    await untilHealthy(url, running)
    const title = async () => /<title>(.*?)<\/title>/.exec(await (await askAt(url, '/login')).text())?.[1]
    expect(await title()).toBe('Filestead')
    expect((await place.stored()).settings.branding.name).toBe('Filestead')
    await place.ask('config', 'set', '--branding.name', '')
    expect(await title()).toBe('File Browser')
  })

  test('happens once when two servers start at the same time', async () => {
    const place = await CliFolder.unused()
    const start = async () => {
      const port = await freePort()
      await using running = launch(['-d', place.database, '-p', String(port)], { cwd: place.folder })
      await untilHealthy(`http://127.0.0.1:${port}`, running)
      return running.stdout()
    }
    const shown = await Promise.all([start(), start()])
    expect(shown.join('').match(/generated password:/g)).toHaveLength(1)
    expect((await place.ask('users', 'ls')).split('\n')).toHaveLength(3)
  })

  test('creates nothing when an option is wrong', async () => {
    const place = await CliFolder.unused()
    const mistakes: [string[], string][] = [
      [['--password', 'secret'], "--password must be a hash; make one with 'filestead hash PASSWORD'"],
      [['--username='], '--username "" must not be empty'],
      [['--imageProcessors', '0'], '--imageProcessors "0" must be a whole number of at least 1'],
      [
        ['-r', '/nowhere/at/all'],
        'Cannot serve /nowhere/at/all: it does not exist. Make it, mount its disk, or name another folder with --root',
      ],
      [['--config', 'none.json'], 'The config file none.json does not exist'],
      [['--database='], '--database must not be empty'],
    ]
    await inPairs(mistakes, async ([words, message]) => {
      expect(await place.refusal(...words)).toBe(`Error: ${message}`)
    })
    expect(readdirSync(place.folder)).toEqual([])
  })
})
