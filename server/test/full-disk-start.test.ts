import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { draftsBelow } from './disk.ts'
import { freePort } from './free-port.ts'
import { admin, askAs, askAt, initialise, launch, run, signIn, until, untilHealthy } from './process.ts'
import { tusOf } from './tus.ts'

const disk = mkdtempSync(join(tmpdir(), 'filestead-full-'))
const { exitCode, stderr } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk])
const why = exitCode === 0 ? '' : ` (skipped, because no small disk can be mounted: ${stderr.toString().trim()})`

afterAll(() => {
  Bun.spawnSync(['umount', disk], { stderr: 'ignore' })
  rmdirSync(disk)
})

describe.if(why === '')(`Killed and started again on a full disk${why}`, () => {
  test('the doctor does not call the database damaged', async () => {
    const database = join(disk, 'unopened.db')
    const arrange = new Database(database)
    arrange.run('pragma journal_mode = wal')
    arrange.close()
    fillUp()
    const { stdout } = await run(['doctor', '-d', database, '-r', '/'])
    for (const name of ['ballast', 'unopened.db']) rmSync(join(disk, name))
    expect(stdout).toContain(`BAD      Database: ${database} cannot be opened: the disk is full.\n`)
    expect(stdout).not.toContain('restore')
  })

  test('the server serves, and clears leftovers when there is space', async () => {
    const [root, database] = [join(disk, 'root'), join(disk, 'filestead.db')]
    mkdirSync(root)
    writeFileSync(join(root, 'kept.txt'), 'kept')
    await initialise(database)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const args = ['-d', database, '-r', root, '-a', '127.0.0.1', '-p', String(port), '--cacheDir', '']
    const first = launch(args)
    await untilHealthy(url, first)
    const token = await signIn(url, admin)
    const ask = askAs(url, token)
    expect((await tusOf(ask).create('/begun.bin', 1000)).status).toBe(201)
    const db = new Database(database)
    // Cancelled when its draft could not be removed, which no later run waits with.
    db.run('update upload set expires_at = 0')
    db.run("insert into draft (place, owner) values (?, 'dead')", [join(root, '.filestead-draft-of-a-save')])
    writeFileSync(join(root, '.filestead-draft-of-a-save'), 'half')
    db.close()
    // Killed, it leaves the log of its database, without which none can be opened on a full disk.
    first.signal('SIGKILL')
    await first.ended
    fillUp()

    await using second = launch(args)
    // The answer is 503, which is enough to know that the server runs.
    await untilAnswering(url)
    expect((await ask('/api/resources/')).status).toBe(200)
    expect(await (await ask('/api/raw/kept.txt')).text()).toBe('kept')
    second.signal('SIGTERM')
    expect(await second.ended).toMatchObject({ code: 0 })

    rmSync(join(disk, 'ballast'))
    await using third = launch(args)
    await untilHealthy(url, third)
    await until(() => draftsBelow(root).length === 0)
    expect(draftsBelow(root)).toEqual([])
  }, 120_000)
})

async function untilAnswering(url: string): Promise<void> {
  const isAnswering = () =>
    askAt(url, '/health').then(
      ({ status }) => status === 503,
      () => false,
    )
  await until(isAnswering)
}

function fillUp(): void {
  const page = Buffer.alloc(4096)
  try {
    for (;;) writeFileSync(join(disk, 'ballast'), page, { flag: 'a' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
