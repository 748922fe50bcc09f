import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TakeoverReport } from '@filestead/contract'
import { modeOf } from './disk.ts'
import { oldSettings } from './file-browser-database.ts'
import { admin, FileBrowserFolder, home } from './file-browser-folder.ts'

setDefaultTimeout(120_000)

describe('filestead takeover', () => {
  test('prints with --dry-run what it would do, and changes nothing', async () => {
    const shares = [
      { hash: 'gone', path: '/gone', userID: 1, expire: 0 },
      { hash: 'over', path: '/docs', userID: 1, expire: 5 },
    ]
    const place = new FileBrowserFolder({ shares, settings: oldSettings({ rules: [{ path: 'private' }] }) })
    const before = [place.identity(), readdirSync(place.folder)]
    const words = ['takeover', '--from', place.old, '--dry-run', '--root', place.root]
    const { code, stdout } = await place.run(words)
    expect(code).toBe(0)
    for (const part of ['users: 1, links: 1', '- gone /gone', '- over /docs', '- deny private', 'Nothing was written.'])
      expect(stdout).toContain(part)
    expect([place.identity(), readdirSync(place.folder)]).toEqual(before)

    const report = join(home, 'report.json')
    expect((await place.run([...words, '--report', report])).code).toBe(0)
    const { taken, changes } = TakeoverReport.parse(JSON.parse(readFileSync(report, 'utf8')))
    expect(taken).toEqual({ settings: true, users: 1, shares: 1, rules: 1 })
    expect(changes.map(({ code }) => code)).toEqual(['rule-without-slash', 'share-missing', 'share-expired'])
    expect([existsSync(place.ours), modeOf(report)]).toEqual([false, '600'])
  })

  test('writes the database to the path of the option', async () => {
    const place = new FileBrowserFolder()
    const elsewhere = join(place.folder, 'new/place.db')
    expect((await place.run(['takeover', '--from', place.old, '-d', elsewhere])).code).toBe(0)
    expect([existsSync(elsewhere), existsSync(place.ours)]).toEqual([true, false])
    await using server = await place.serve(['-d', elsewhere, '-r', place.root])
    expect((await server.ask(admin, '/api/resources/')).status).toBe(200)
  })

  test('started twice at once takes over once, and the second run finds it done', async () => {
    const place = new FileBrowserFolder()
    const both = await Promise.all([place.run(['takeover']), place.run(['takeover'])])
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
    expect(both.find(({ code }) => code === 1)?.stderr).toContain('have been taken over already')
    expect((await place.run(['users', 'ls'])).stdout.trim().split('\n').length).toBe(4)
  })

  test('names a file that it cannot read', async () => {
    const place = new FileBrowserFolder()
    const other = join(place.folder, 'other.txt')
    writeFileSync(other, 'text')
    const messageOf = async (file: string) => (await place.run(['takeover', '--from', file])).stderr
    expect(await messageOf(other)).toContain('neither a database of File Browser nor an export')
    expect(await messageOf(join(place.folder, 'none.db'))).toContain('does not exist')
    rmSync(place.old)
    // Containers make a folder where the file that they are to mount is missing. A pipe would keep a reader waiting.
    for (const [make, reason] of [
      [() => mkdirSync(place.old), 'is a folder, not a file'],
      [() => execFileSync('mkfifo', [place.old]), 'is not a file'],
    ] as const) {
      make()
      for (const words of [
        ['takeover', '--from', place.old],
        ['-r', place.root],
        ['users', 'ls'],
      ])
        expect((await place.run(words)).stderr).toBe(`Error: ${place.old} ${reason}\n`)
      expect((await place.run(['health', '-p', '1'])).stderr).toContain('No server answers')
      rmSync(place.old, { recursive: true })
    }
    expect((await place.run(['takeover'])).stderr).toContain('--from filebrowser.db')
  })
})
