import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isFailure } from '../../failure.ts'
import { filesIn, removeFolders } from '../testing/disk.fixture.ts'
import { failureOf, long, putOld, twoRoots } from '../testing/staging.fixture.ts'
import type { TakenRule } from '../transfer-options.ts'

afterAll(removeFolders)

const mega = 1 << 20
const rule = (taken: TakenRule) => ({ replace: true, taken })

describe.each(['copy', 'move'] as const)('a staged %s', (kind) => {
  test.each(['replace', 'keep-both', 'skip', 'newer'] as const)(
    'takes a file of the same size and time for the same only by its bytes (%s)',
    async (choice) => {
      const roots = await twoRoots()
      await putOld(roots.from, { '/box/a': 'one', '/box/b': 'two' })
      await putOld(roots.to, { '/box/a': 'eno', '/box/b': 'two' })
      await roots.stage(kind, '/box', '/box', rule({ default: choice }))
      await roots.transfer(kind, '/box', '/box', rule({ default: choice }))
      await roots.unstage('/box')
      expect(await filesIn(roots.to)).toEqual({
        '/box/': '',
        '/box/a': choice === 'replace' ? 'one' : 'eno',
        '/box/b': 'two',
        ...(choice === 'keep-both' && { '/box/a(1)': 'one' }),
      })
      const isLeft = choice === 'skip' || choice === 'newer'
      const left: Record<string, string> =
        kind === 'copy' ? { '/box/': '', '/box/a': 'one', '/box/b': 'two' } : { '/box/': '', '/box/a': 'one' }
      expect(await filesIn(roots.from)).toEqual(kind === 'copy' || isLeft ? left : {})
    },
  )

  test('refuses one that only looks the same where there is no answer about it', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, { '/box/a': 'one' })
    await putOld(roots.to, { '/box/a': 'eno' })
    const refuse = rule({ default: 'refuse' })
    const failure = await failureOf(
      roots.stage(kind, '/box', '/box', refuse).then(() => roots.transfer(kind, '/box', '/box', refuse)),
    )
    expect(isFailure(failure, 'already-exists')).toBe(true)
    await roots.unstage('/box')
    expect([await filesIn(roots.from), await filesIn(roots.to)]).toEqual([
      { '/box/': '', '/box/a': 'one' },
      { '/box/': '', '/box/a': 'eno' },
    ])
  })

  test.each([3, 40 * mega])(
    'replaces a file of the same size and time that has other bytes (%d bytes)',
    async (size) => {
      const roots = await twoRoots()
      for (const [root, first] of [
        [roots.from, 'one'],
        [roots.to, 'eno'],
      ] as const) {
        await writeFile(join(root, 'file'), first)
        await truncate(join(root, 'file'), size)
        await utimes(join(root, 'file'), long, long)
      }
      await roots.stage(kind, '/file', '/file', { replace: true })
      await roots.transfer(kind, '/file', '/file', { replace: true })
      await roots.unstage('/file')
      expect(await Bun.file(join(roots.to, 'file')).slice(0, 3).text()).toBe('one')
      expect([statSync(join(roots.to, 'file')).size, existsSync(join(roots.from, 'file'))]).toEqual([
        size,
        kind === 'copy',
      ])
    },
  )
})
