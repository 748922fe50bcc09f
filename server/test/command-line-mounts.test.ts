import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Grant, Why } from '@filestead/contract'
import { CliFolder, password } from './cli-folder.ts'

setDefaultTimeout(120_000)

/** A place with served files, a folder beside them and the users ann and bob. */
async function prepared() {
  const place = await CliFolder.make()
  const base = realpathSync(place.folder)
  const [root, photos] = [join(base, 'files'), join(base, 'photos')]
  for (const folder of [root, join(root, 'home/ann'), join(root, 'projects'), photos])
    mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'projects/a.txt'), 'a')
  await place.ask('config', 'set', '--root', root)
  await place.ask('users', 'add', 'ann', password, '--scope', '/home/ann')
  await place.ask('users', 'add', 'bob', password, '--scope', '/')
  const json = async <T>(...words: string[]) => JSON.parse(await place.ask(...words, '--json')) as T
  return { place, base, root, photos, json }
}

describe('mounts', () => {
  test('are listed, added, changed and removed, by name or number', async () => {
    const { place, root, photos } = await prepared()
    expect(await place.ask('mounts', 'ls')).toMatch(
      new RegExp(
        `^ID +Name +Folder +Links +Read-only +Trash / versions +Chosen by\\n1 +Files +${root} +inside +false +on, 30 days / on +--root\\n$`,
      ),
    )
    const added = await place.run(['mounts', 'add', 'Photos', `${photos}/`, '--readOnly'])
    expect([added.code, added.stdout]).toEqual([
      0,
      expect.stringMatching(/\n2 +Photos .*photos +inside +true +on, 30 days \/ on +here\n$/),
    ])
    expect(added.stderr).toContain('No account sees it before there is a grant')
    expect(added.stderr).toContain('all paths begin with the name')

    expect(await place.ask('mounts', 'update', 'photos', '--name', 'Pictures', '--readOnly=false')).toMatch(
      /\n2 +Pictures .* inside +false +on, 30 days \/ on +here\n$/,
    )
    const kept = ['--trash', 'on', '--trashDays', '7', '--versions', 'off']
    expect(await place.ask('mounts', 'update', 'Pictures', ...kept)).toMatch(/ on, 7 days \/ off +here\n$/)
    expect(await place.ask('mounts', 'update', 'Pictures', '--trash', 'off')).toMatch(/ off \/ off +here\n$/)
    expect(await place.ask('mounts', 'update', '1', '--name', 'Documents')).toMatch(
      new RegExp(`\\n1 +Documents +${root} `),
    )
    expect(await place.ask('mounts', 'rm', 'Pictures')).toBe(
      'Removed root folder 2, "Pictures"; its files stay where they are\n',
    )
    expect(await place.refusal('mounts', 'rm', 'Pictures')).toBe('Error: There is no root folder "Pictures"')
    expect(await place.refusal('mounts', 'rm', 'Documents')).toContain('--root and cannot be removed')
  })

  test('of a server that cannot be used now are added with a warning, and wrong addresses refused in one line', async () => {
    const { place, base } = await prepared()
    mkdirSync(join(base, 'keys'))
    writeFileSync(join(base, 'keys/far'), 'ACCESS_KEY_ID=a\nSECRET_ACCESS_KEY=b\n', { mode: 0o600 })
    const flags = ['--keysFolder', join(base, 'keys'), '--quiet']
    const away = await place.run(['mounts', 'add', 'Far', 's3+http://127.0.0.1:1/bucket?keys=far', ...flags])
    expect([away.code, away.stderr]).toEqual([
      0,
      'Warning: It cannot be used now: No connection to 127.0.0.1:1 by http: is it running, and is the port right?\n',
    ])
    const wrong = await place.run(['mounts', 'add', 'None', 's3+http://127.0.0.1:1', ...flags])
    expect([wrong.code, wrong.stderr]).toEqual([1, 'Error: the address names no bucket: s3+https://host/bucket\n'])
  })

  test('are refused with a sentence where their name or folder cannot be one', async () => {
    const { place, base, root, photos } = await prepared()
    symlinkSync(photos, join(root, 'swapped'))
    for (const [name, folder, sentence] of [
      ['Home', photos, 'own folder of each account'],
      ['files', photos, 'the name "Files" is taken'],
      ['Photos', join(root, 'projects'), 'the folder lies in the root folder "Files"'],
      ['Photos', root, 'the root folder "Files" is this folder already'],
      ['Photos', base, 'the folder holds'],
      ['Photos', '/proc', 'belongs to the system'],
      ['Photos', 'photos', 'full path'],
      ['Photos', join(base, 'missing'), 'missing'],
    ] as const)
      expect([name, folder, await place.refusal('mounts', 'add', name, folder)]).toEqual([
        ...[name, folder],
        expect.stringContaining(sentence),
      ])
  })
})

describe('groups', () => {
  test('are made of users, changed and removed, and users show theirs', async () => {
    const { place, json } = await prepared()
    expect(await place.ask('groups', 'ls')).toBe('There are no groups\n')
    expect(await place.ask('users', 'ls')).not.toContain('Groups')
    expect(await place.ask('groups', 'add', 'Team', 'ann', '1')).toMatch(/\n1 +Team +local +boss, ann\n$/)
    expect(await place.ask('groups', 'update', 'team', '--add', 'bob', '--remove', 'boss,ann')).toMatch(
      /Team +local +bob\n$/,
    )
    expect(await place.ask('users', 'find', 'bob')).toMatch(/Groups\n.*Team\n$/)
    expect(await json<{ groups: string[] }>('users', 'find', 'ann')).toMatchObject({ groups: [] })
    expect(await place.ask('groups', 'update', '1', '--name', 'Crew')).toMatch(/Crew +local +bob\n$/)
    expect(await place.refusal('groups', 'add', 'CREW')).toContain('There is a group "Crew" already')
    expect(await place.refusal('groups', 'add', 'guest')).toContain('no group can have it')
    expect(await place.refusal('groups', 'add', 'Other', 'carl')).toBe('Error: There is no user "carl"')
    expect(await place.ask('groups', 'rm', 'crew')).toStartWith('Removed group 1, "Crew"')
    expect(await place.refusal('groups', 'rm', 'crew')).toBe('Error: There is no group "crew"')
  })
})

describe('grants and access', () => {
  test('grants are made for names, listed, replaced and removed', async () => {
    const { place, root, photos, json } = await prepared()
    await place.ask('mounts', 'add', 'Photos', photos)
    await place.ask('groups', 'add', 'Team', 'ann')
    expect(await place.ask('grants', 'add', 'ann', '/projects', 'change')).toMatch(
      /^ID +Who +Folder +Rights\n1 +ann +Files:\/projects +see change\n$/,
    )
    await place.ask('grants', 'add', 'group:Team', 'Photos:/', 'share,create')
    await place.ask('grants', 'add', 'everybody', 'Photos:/2024', 'none')
    await place.ask('grants', 'add', 'guest', 'photos:/public', 'download', 'create')
    expect(await place.ask('grants', 'add', 'user:ann', '/projects', 'all')).toMatch(/\n1 +ann .* see download create/)
    const grants = await json<Grant[]>('grants', 'ls')
    expect(grants.map(({ id, name, mount, folder, rights }) => [id, name, mount, folder, rights.length])).toEqual([
      [1, 'ann', 1, '/projects', 6],
      [2, 'Team', 2, '/', 4],
      [3, 'everybody', 2, '/2024', 0],
      [4, 'guest', 2, '/public', 3],
    ])
    const shown = (...words: string[]) => json<Grant[]>('grants', 'ls', ...words).then((all) => all.map(({ id }) => id))
    expect(await shown('--subject', 'group:team')).toEqual([2])
    expect(await shown('--folder', 'Photos:/')).toEqual([2])
    expect(await shown('--folder', 'Photos:/', '--below')).toEqual([2, 3, 4])

    expect(await place.ask('grants', 'rm', '3')).toBe('Removed grant 3, of everybody for Photos:/2024\n')
    expect(await place.ask('grants', 'rm', 'guest', 'Photos:/public')).toStartWith('Removed grant 4')
    expect(await place.refusal('grants', 'rm', 'guest', 'Photos:/public')).toStartWith('Error: There is no grant of')
    expect(await place.refusal('grants', 'rm', 'guest')).toContain("that 'grants ls' shows")
    expect(await place.refusal('grants', 'add', 'ann', '/projects', 'admin')).toContain('"admin" is no right')
    expect(await place.refusal('grants', 'add', 'ann', 'projects', 'see')).toContain('is no folder')
    expect(await place.refusal('grants', 'add', 'ann', '/projects/a.txt', 'see')).toContain('this is a file')
    expect(await place.refusal('grants', 'add', 'group:Nobody', '/projects', 'see')).toContain('no group "Nobody"')

    // Takes the folder of the server, as all others do.
    await place.ask('mounts', 'rm', 'Photos', '--root', root)
    await place.ask('users', 'rm', 'ann')
    expect(await place.ask('grants', 'ls', '--root', root)).toBe('There are no grants\n')
  })

  test('why explains a path of the person, or a folder of a root folder', async () => {
    const { place, photos, json } = await prepared()
    const alone = await json<Why>('access', 'why', 'ann', '/a.txt')
    expect([alone.rights.length, alone.deciding[0]]).toEqual([6, expect.objectContaining({ folder: '/home/ann' })])
    await place.ask('mounts', 'add', 'Photos', photos)
    await place.ask('grants', 'add', 'everybody', 'Photos:/', 'download')
    expect(await place.ask('access', 'why', 'ann', '/Photos/sea.jpg')).toBe(
      [
        'Rights: see download',
        'Why: ann may see and download here by the grant for everybody in Photos:/.',
        'To change it: To let ann add files, change files, delete and share, make a grant for ann, a group of ann or everybody in this folder, with all that shall be allowed here, because it then decides alone.\n',
      ].join('\n'),
    )
    expect((await json<Why>('access', 'why', 'ann', '/Home/a.txt')).rights).toHaveLength(6)
    expect((await json<Why>('access', 'why', 'ann', 'Files:/projects')).rights).toEqual([])
    expect((await json<Why>('access', 'why', 'guest', 'Photos:/')).rights).toEqual([])
    expect(await place.refusal('access', 'why', 'ann', '/projects')).toContain('sees only /Home, /Photos')
    expect(await place.refusal('access', 'why', 'guest', '/')).toContain('sees nothing')
  })
})
