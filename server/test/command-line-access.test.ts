import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Grant, Group } from '@filestead/contract'
import { CliFolder, password } from './cli-folder.ts'

setDefaultTimeout(120_000)

async function prepared(users: string[]) {
  const place = await CliFolder.make()
  const base = realpathSync(place.folder)
  for (const name of ['files/projects', 'photos', 'music']) mkdirSync(join(base, name), { recursive: true })
  await place.ask('config', 'set', '--root', join(base, 'files'))
  for (const name of users) await place.ask('users', 'add', name, password, '--scope', '/')
  return { place, base }
}

test.each(['json', 'yaml'])(
  'access export and import (%s): root folders, groups and grants travel by their names, and what is unknown is told',
  async (format) => {
    const { place, base } = await prepared(['ann', 'bob'])
    await place.ask('mounts', 'add', 'Photos', join(base, 'photos'), '--readOnly')
    await place.ask('groups', 'add', 'Team', 'ann', 'bob')
    await place.ask('grants', 'add', 'group:Team', 'Photos:/', 'download')
    await place.ask('grants', 'add', 'ann', '/projects', 'none')
    await place.ask('grants', 'add', 'guest', 'Photos:/public', 'see')
    const file = join(base, `access.${format}`)
    await place.ask('access', 'export', file)
    const hint = await place.run(['config', 'export', join(base, 'config.json')])
    expect(hint.stderr).toContain("'filestead access export'")

    const other = await prepared(['carl', 'bob'])
    await other.place.ask('groups', 'add', 'First', 'carl')
    await other.place.ask('groups', 'add', 'team', 'carl')
    for (let times = 0; times < 2; times += 1) {
      const { code, stdout, stderr } = await other.place.run(['access', 'import', file])
      expect([code, stdout]).toEqual([0, 'Read 2 root folders, 1 groups and 3 grants; 2 remarks\n'])
      expect(stderr).toContain('Warning: There is no user "ann", who is in the group "Team"')
      expect(stderr).toContain(
        'Warning: The grant of user "ann" for Files:/projects is left out: There is no user "ann"',
      )
    }
    const groups = JSON.parse(await other.place.ask('groups', 'ls', '--json')) as Group[]
    expect(groups.map(({ id, name, members }) => [id, name, members])).toEqual([
      [1, 'First', [2]],
      [2, 'team', [2, 3]],
    ])
    const grants = JSON.parse(await other.place.ask('grants', 'ls', '--json')) as Grant[]
    expect(grants.map(({ subject, mount, folder, rights }) => [subject, mount, folder, rights])).toEqual([
      ['group:2', 2, '/', ['see', 'download']],
      ['guest', 2, '/public', ['see']],
    ])
  },
)

test('doctor looks at every root folder, at grants for folders that are not there and at empty groups', async () => {
  const { place, base } = await prepared(['ann'])
  const found = async () => (await place.run(['doctor'])).stdout
  expect(await found()).not.toContain('Root folders')
  await place.ask('mounts', 'add', 'Photos', join(base, 'photos'))
  await place.ask('mounts', 'add', 'Music', join(base, 'music'))
  await place.ask('groups', 'add', 'Nobody')
  await place.ask('grants', 'add', 'ann', 'Photos:/to come', 'see')
  rmSync(join(base, 'music'), { recursive: true })
  const text = await found()
  expect(text).toContain(`ok       Root folders: "Photos" (${join(base, 'photos')}) can be read and written`)
  expect(text).toContain(`WARNING  Root folders: "Music" (${join(base, 'music')}) is not there`)
  expect(text).toContain('1 of 1 are for folders that are not there')
  expect(text).toContain('Groups: Without members: "Nobody".')
})
